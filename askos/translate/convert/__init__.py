"""A query in another dialect, if that can say the same."""

from askos.translate.convert.convert import convert
from askos.translate.convert.difference import Difference

__all__ = ["Difference", "convert"]
