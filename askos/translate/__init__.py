"""The languages: from query text to a syntax tree, to a plan, and back to text."""

from askos.translate.convert import Difference
from askos.translate.dialect import Dialect
from askos.translate.finite import arriving, early, wanted
from askos.translate.formatting import format  # noqa: A004
from askos.translate.parser import parse
from askos.translate.plan import Every, Reasoning, asked_report, create_plan, default_report
from askos.translate.rules import optimize

__all__ = [
    "Dialect",
    "Difference",
    "Every",
    "Reasoning",
    "arriving",
    "asked_report",
    "create_plan",
    "default_report",
    "early",
    "format",
    "optimize",
    "parse",
    "wanted",
]
