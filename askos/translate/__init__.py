"""The languages: from query text to a syntax tree, to a plan, and back to text."""

from askos.translate.dialect import Dialect
from askos.translate.parser import parse
from askos.translate.plan import create_plan, default_report
from askos.translate.rules import optimize

__all__ = ["Dialect", "create_plan", "default_report", "optimize", "parse"]
