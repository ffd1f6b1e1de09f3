"""From a syntax tree back to text."""

from askos.translate.formatting.queries import write

__all__ = ["write"]
