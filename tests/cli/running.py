"""What the tests of `askos run` have in common."""

from __future__ import annotations

from askos.cli import main
from tests.build import EX

QUERY = f"""PREFIX : <{EX}>
SELECT ?x ?y FROM STREAM :s1 WINDOW RANGE 10 SLIDE 5 {{ ?x :p ?y FILTER (?y > 1) }}
"""
INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
LINES = [
    f'<{EX.a}> <{EX.p}> "1"{INTEGER} <urn:ms:1> .',
    f'<{EX.b}> <{EX.p}> "3"{INTEGER} <urn:ms:7> .',
    f'<{EX.a}> <{EX.p}> "2"{INTEGER} <urn:ms:3> .',
]
EXPECTED = [[str(EX.a), "2", "3", "10"], [str(EX.b), "3", "7", "15"]]
FROM = "FROM STREAM :s1 WINDOW RANGE 10 SLIDE 5"
FORMS = {
    "select": f"SELECT ?x ?y {FROM} {{ ?x :p ?y }}",
    "construct": f"CONSTRUCT {{ ?x :seen ?y }} {FROM} {{ ?x :p ?y }}",
    "describe": f"DESCRIBE ?x {FROM} {{ ?x :p ?y FILTER (?y > 1) }}",
    "ask": f"ASK {FROM} {{ ?x :p ?y FILTER (?y > 2) }}",
}


def run(*arguments: object) -> int:
    return main(["run", *map(str, arguments), "--host", "local"])
