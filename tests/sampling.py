"""What a quick run leaves out: some of many cases of one kind, which `script/test --all` runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def every(step: int, cases: Iterable[Any]) -> list[Any]:
    """The cases as parameters of a test, of which a quick run takes one in `step`."""
    return [
        pytest.param(case, marks=pytest.mark.thorough if place % step else ())
        for place, case in enumerate(cases)
    ]
