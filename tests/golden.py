"""Golden files: titled cases of an input and the plan it must give.

    # a title
    the input
    ----
    the plan

`pytest --update-golden` rewrites them; review the difference as code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class Case:
    title: str
    input: str
    plan: str

    def __str__(self) -> str:
        return self.title


def golden(name: str) -> list[Case]:
    """The cases of tests/golden/`name`.plan."""
    text = (FOLDER / f"{name}.plan").read_text(encoding="utf-8")
    cases = []
    for block in text.split("\n# ")[0:]:
        title, _, rest = block.removeprefix("# ").partition("\n")
        given, _, plan = rest.partition("\n----\n")
        cases.append(Case(title.strip(), given.strip(), plan.strip("\n")))
    return cases


def update(name: str, case: Case, plan: str) -> None:
    """Put `plan` in the place of the case's plan."""
    cases = [replace(c, plan=plan) if c.title == case.title else c for c in golden(name)]
    blocks = (f"# {c.title}\n{c.input}\n----\n{c.plan}\n" for c in cases)
    (FOLDER / f"{name}.plan").write_text("\n".join(blocks), encoding="utf-8")
