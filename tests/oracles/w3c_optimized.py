"""The W3C query tests through askos, with every plan optimised before it is evaluated.

python w3c_check.py FOLDER --adapter tests.oracles.w3c_optimized --path PROJECT
"""

from __future__ import annotations

from askos.translate import optimize
from tests.oracles import w3c_adapter
from tests.oracles.w3c_adapter import Result, parse

__all__ = ["evaluate", "parse"]


def evaluate(text: str, base: str, default: list[str], named: list[tuple[str, str]]) -> Result:
    return w3c_adapter.evaluate(text, base, default, named, optimize)
