"""From a syntax tree back to text."""

from askos.translate.formatting.comments import comments
from askos.translate.formatting.format import format  # noqa: A004
from askos.translate.formatting.queries import write

__all__ = ["comments", "format", "write"]
