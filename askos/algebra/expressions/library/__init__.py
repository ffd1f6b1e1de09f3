"""The functions that are registered; importing this package registers them."""

from askos.algebra.expressions.library import arithmetic, comparison, keyed, terms

__all__ = ["arithmetic", "comparison", "keyed", "terms"]
