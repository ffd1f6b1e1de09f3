"""From the grammar's rules to the syntax tree: one method a rule, called as it is recognised.

Methods keep no state, so one builder serves all parses.
"""

from askos.translate.syntax.expressions import ExpressionRules
from askos.translate.syntax.patterns import PatternRules
from askos.translate.syntax.queries import QueryRules, assemble
from askos.translate.syntax.streams import StreamRules


class Builder(QueryRules, PatternRules, ExpressionRules, StreamRules):
    """All methods that grammar.lark names."""


__all__ = ["Builder", "assemble"]
