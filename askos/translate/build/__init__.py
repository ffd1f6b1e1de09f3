"""From the grammar's rules to the syntax tree: one method a rule, called as it is recognised.

Methods keep no state, so one builder serves all parses.
"""

from askos.translate.build.expressions import ExpressionRules
from askos.translate.build.patterns import PatternRules
from askos.translate.build.queries import QueryRules, assemble
from askos.translate.build.streams import StreamRules


class Builder(QueryRules, PatternRules, ExpressionRules, StreamRules):
    """All methods that grammar.lark names."""


__all__ = ["Builder", "assemble"]
