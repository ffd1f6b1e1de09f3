"""What a file may cost: whoever wrote it is not trusted.

A kilobyte can stand for gigabytes: compressed, as entities of XML, or by nesting that takes a
parser time in the square of its depth.  Here is how much of that is read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

from askos.errors import SetupError

_PREFIX: Final = "ASKOS_MAX_"


@dataclass(frozen=True, slots=True)
class Limits:
    """What is read of a file of RDF, before it is refused.

    `line` is how many bytes a line, or another statement, may have; `growth` how many times as
    large as a compressed file its text may be, beyond the first 64 MiB; `depth` how deep XML and
    JSON may be nested; `entities` how many entities XML may declare.  Each is also read from the
    environment: ASKOS_MAX_LINE and so on.

    >>> Limits.of({"ASKOS_MAX_DEPTH": "7"}).depth
    7
    """

    line: int = 64 << 20
    growth: int = 250
    depth: int = 100
    entities: int = 0

    @classmethod
    def of(cls, environment: Mapping[str, str] | None = None) -> Limits:
        """Those that the environment says, else the usual ones."""
        known = os.environ if environment is None else environment
        said = {f.name: known.get(_PREFIX + f.name.upper()) for f in fields(cls)}
        return cls(**{name: _number(name, text) for name, text in said.items() if text})


def _number(name: str, text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 19:
        return int(text)
    raise SetupError(
        f"{_PREFIX}{name.upper()} is {text!r}, and no whole number", hint="unset it, or mend it"
    )


def setting(name: str, value: int) -> str:
    """A hint how to raise a limit."""
    return f"if the file is to be trusted, set {_PREFIX}{name.upper()} to more than {value}"
