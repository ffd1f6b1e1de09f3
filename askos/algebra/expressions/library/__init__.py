"""The functions that are registered; importing this package registers them."""

from askos.algebra.expressions.library import (
    arithmetic,
    casts,
    comparison,
    dates,
    hashes,
    iris,
    keyed,
    numerics,
    regex,
    strings,
    terms,
)

__all__ = [
    "arithmetic",
    "casts",
    "comparison",
    "dates",
    "hashes",
    "iris",
    "keyed",
    "numerics",
    "regex",
    "strings",
    "terms",
]
