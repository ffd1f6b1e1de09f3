"""Changes that make a good input a bad one, or another good one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final, TypeVar

T = TypeVar("T", str, bytes)

_TOKENS: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|<[^<>\s]*>|[?$]\w+|\w+|\s+|.', re.DOTALL)
_STRING: Final = re.compile(r'("(?:[^"\\\n]|\\.)*")')
_ODD: Final = (
    "\x00", "\x1b", "\u202e", "\ud800", "\ufffe", "é", "風", "\\u0020", "\\u003E", "\\UFFFFFFFF",
    "9" * 400, "1e999", "-0", "''", '"""', "<>", "<http://ex/\\u0020>", "?", "((", "))", "{", "}",
    "^^", "@", "@en--", "_:", "[]", "()", "a" * 300, "\r\n", "#", ";;", "..", "1.e", "P1Y", "0x",
)  # fmt: skip
_VALUES: Final[tuple[Any, ...]] = (
    None, True, -1, 0, 2**63, 2**70, 1.5, float("inf"), "", "x", "\ud800", [], {}, [[]],
    {"is": "X"},
)  # fmt: skip


def mutated_text(seeds: Sequence[str], random: Random, most: int = 4) -> str:
    """A seed with at `most` so many runs of its tokens dropped, repeated, swapped or taken from
    another seed."""
    tokens = _TOKENS.findall(random.choice(seeds))
    for _ in range(random.randint(1, most)):
        _change(tokens, random, lambda: _foreign(seeds, random))
    return "".join(tokens)


def mutated_bytes(seeds: Sequence[bytes], random: Random, most: int = 4) -> bytes:
    """A seed with at `most` so many of its bytes, or runs of them, changed."""
    parts = [bytes([b]) for b in random.choice(seeds)]
    for _ in range(random.randint(1, most)):
        _change(parts, random, lambda: _some_bytes(random))
    return b"".join(parts)


def mutated_json(seeds: Sequence[str], random: Random) -> str:
    """A document with some of its values, or its text, changed."""
    if not random.randrange(4):
        return mutated_text(seeds, random)
    document = json.loads(random.choice(seeds))
    for _ in range(random.randint(1, 3)):
        document = _other_value(document, seeds, random)
    return json.dumps(document)


def mutated_strings(seeds: Sequence[str], random: Random) -> str:
    """A document with some of its strings changed, or exchanged for others, most of their kind."""
    parts = _STRING.split(random.choice(seeds))
    others = [string for seed in seeds for string in _STRING.findall(seed)]
    for _ in range(random.randint(1, 2)):
        place = random.randrange(1, len(parts), 2)
        alike = [string for string in others if string[:2] == parts[place][:2]]
        match random.randrange(6):
            case 0:
                parts[place] = random.choice(others)
            case 1:
                parts[place] = f'"{mutated_text([parts[place][1:-1]], random, 1)}"'
            case _:
                parts[place] = random.choice(alike or others)
    return "".join(parts)


def _change(parts: list[T], random: Random, foreign: Callable[[], T]) -> None:
    place = random.randrange(len(parts) + 1)
    stop = min(place + random.choice([1, 1, 1, 2, 5, 20]), len(parts))
    match random.randrange(5):
        case 0:
            del parts[place:stop]
        case 1:
            parts[place:place] = parts[place:stop] * random.choice([1, 1, 2, 30])
        case 2:
            other = random.randrange(len(parts) + 1)
            parts[other:other] = parts[place:stop]
        case 3:
            parts[place:stop] = [foreign()]
        case _:
            parts.insert(place, foreign())


def _foreign(seeds: Sequence[str], random: Random) -> str:
    if not random.randrange(3):
        return random.choice(_ODD)
    tokens = _TOKENS.findall(random.choice(seeds))
    place = random.randrange(len(tokens) or 1)
    return "".join(tokens[place : place + random.randint(1, 6)])


def _some_bytes(random: Random) -> bytes:
    if random.randrange(2):
        return random.choice(_ODD).encode("utf-8", "surrogatepass")
    return random.randbytes(random.randint(1, 3))


def _other_value(document: Any, seeds: Sequence[str], random: Random) -> Any:
    """Another value somewhere: the way there is drawn."""
    if isinstance(document, dict) and document and random.randrange(8):
        key = random.choice(list(document))
        if not random.randrange(10):
            return {k: v for k, v in document.items() if k != key}
        return {**document, key: _other_value(document[key], seeds, random)}
    if isinstance(document, list) and document and random.randrange(8):
        place = random.randrange(len(document))
        inner = _other_value(document[place], seeds, random)
        return [*document[:place], inner, *document[place + 1 :]]
    if not random.randrange(3):
        return _part(json.loads(random.choice(seeds)), random)
    return random.choice(_VALUES)


def _part(document: Any, random: Random) -> Any:
    """Some part of a document."""
    while isinstance(document, dict | list) and document and random.randrange(6):
        values = list(document.values()) if isinstance(document, dict) else document
        document = random.choice(values)
    return document
