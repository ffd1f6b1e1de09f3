"""Lines that readers of N-Quads may take for statements or not: one list for all of them.

Each differs in one place from a statement that is beyond doubt.  What is taken is said by the
grammar of N-Quads, section 4, https://www.w3.org/TR/n-quads/.
"""

from __future__ import annotations

from typing import Final

A, P, ONE, LABEL = "<http://e/a>", "<http://e/p>", '"1"', "<urn:ms:5>"


def line(s: str = A, p: str = P, o: str = ONE, label: str = LABEL, space: str = " ") -> str:
    return f"{space.join([s, p, o, label])} ."


IRIS: Final = {
    "<http://e/é/🌬?a=b#c>": True,
    "<urn:x>": True,
    "<x:>": True,
    "<a+b-c.1:x>": True,
    r"<http://e/\u00e9>": True,
    "<a>": False,  # relative, as all that follow until the next comment
    "<>": False,
    "<#a>": False,
    "</a>": False,
    "<//e/a>": False,
    "<../a>": False,
    "<?a=b>": False,
    "<a/b:c>": False,
    "<1:x>": False,
    "<:x>": False,
    "<é:x>": False,
    "<http://e/a b>": False,  # what stands in no IRI
    "<http://e/\t>": False,
    "<http://e/\f>": False,
    "<http://e/{a}>": False,
    "<http://e/|>": False,
    "<http://e/^>": False,
    "<http://e/`>": False,
    '<http://e/">': False,
    r"<http://e/\>": False,
    r"<http://e/\n>": False,
    r"<http://e/\u0020>": False,
    r"<http://e/\u003E>": False,
    r"<http://e/\u00e>": False,
    "http://e/a": False,  # other syntaxes
    "e:a": False,
    "a": False,
}
BLANK_NODES: Final = {
    "_:b": True,
    "_:1": True,
    "_:b.c": True,
    "_:é·-": True,
    "_:a:b": True,
    "_:": False,
    "_:.b": False,
    "_:-b": False,
    "_:·": False,
    "_:a/b": False,
    "_:a×b": False,
}
LITERALS: Final = {
    '""': True,
    '"a\tb"': True,
    '"a\fb"': True,
    '"a\x0bb\x00\x85\u2028"': True,
    r'"\t\b\n\r\f\"\'\\"': True,
    r'"\u00e9\U0001F32C"': True,
    '"a"@en-GB-1996': True,
    '"a"^^<x:y>': True,
    '"a"^^<y>': False,  # relative
    '"a"^^<>': False,
    '"a"^^xsd:string': False,
    '"a" ^^<x:y>': False,  # strictly, spaces may stand there: nobody writes them
    '"a"@': False,
    '"a"@1': False,
    '"a"@en-': False,
    '"a"@en_GB': False,
    '"a"@é': False,
    r'"\a"': False,
    r'"\u12"': False,
    r'"\ud800"': False,
    r'"\U00110000"': False,
    "'a'": False,
    '"""a"""': False,
    "1": False,
    "true": False,
}
SPACES: Final = {
    "": True,
    "\t": True,
    " \t ": True,
    "\f": False,
    "\x0b": False,
    "\x00": False,
    "\x1c": False,
    "\x85": False,
    "\xa0": False,
    "\u2003": False,
    "\u2028": False,
    "\ufeff": False,
}
ENDS: Final = {
    ".": True,
    "\t.\t": True,
    " . # a comment \f\x85\u2028": True,
    ".#": True,
    "": False,
    " ..": False,
    " . .": False,
    " .\f": False,
    " .\x85": False,
    " .\u2028": False,
    " .\x0b# a comment": False,
    f" {A} .": False,
    " . half a line": False,
}
JUDGED: Final = {
    **{line(s=text): good for text, good in {**IRIS, **BLANK_NODES}.items()},
    **{line(p=text): good for text, good in IRIS.items()},
    **{line(o=text): good for text, good in {**IRIS, **BLANK_NODES, **LITERALS}.items()},
    line(s=ONE): False,
    line(p="_:b"): False,
    line(p=ONE): False,
    **{line(space=text): good for text, good in SPACES.items()},
    **{f"{text}{line()}": good for text, good in SPACES.items()},
    **{f"{A} {P} {ONE} {LABEL}{text}": good for text, good in ENDS.items()},
    f"{A}{P}_:b{LABEL}.": True,
    f'{A}{P}"a"@en{LABEL}.#c.': True,
    f"_:a{P}_:b.{LABEL}.": False,
    "half a line": False,
}
"""Lines, and whether each is a statement."""
NOTHING: Final = ("", " ", "\t", " \t ", "#", "\t# a comment \f")
"""Lines that say nothing."""
SOMETHING: Final = ("\f", "\x0b", "\x00", "\x85", "\xa0", "\u2028", "\f# a comment", "\xa0# more")
"""Lines that are neither blank nor comments, though they look so."""
LINES: Final = (*JUDGED, *NOTHING, *SOMETHING)
"""All of them, as the lines of a file."""
TAKEN: Final = {number for number, text in enumerate(LINES, 1) if JUDGED.get(text)}
"""The numbers of those that are statements."""
REFUSED: Final = {n for n, text in enumerate(LINES, 1) if n not in TAKEN and text not in NOTHING}
"""The numbers of those that are told as refused."""
