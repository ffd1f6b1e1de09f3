"""`create_plan`: Algorithm 1 of Streaming SPARQL, from a query to its canonical plan.

One function per kind of clause: groups and their members in `groups`, GRAPH and its kin in
`graphs`, triples in `patterns`, what they entail in `entail`, windows in `windows`; what comes
after WHERE in `grouping`, `solutions` and `forms`.  What they hand down is the `Context`.
"""

from askos.translate.plan.asked import Every, asked_report
from askos.translate.plan.create import Reasoning, create_plan
from askos.translate.plan.reports import default_report

__all__ = ["Every", "Reasoning", "asked_report", "create_plan", "default_report"]
