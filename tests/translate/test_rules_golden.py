"""What each rule makes of a query, and where it must not apply: golden files, one for each rule."""

from __future__ import annotations

from functools import partial

import pytest

from askos.algebra import Operator
from askos.explaining import explain
from askos.translate import create_plan, optimize, parse
from askos.translate.rules import RULES, WHOLE, Rule
from askos.translate.rules.drop_unmatched_sources import drop_unmatched_sources
from askos.translate.rules.fold_constants import fold_constants
from askos.translate.rules.split_filter import split_filter
from tests.build import EX
from tests.golden import FOLDER, Case, golden, update
from tests.translate.test_canonical import KNOWN

PREFIX = f"PREFIX : <{EX}>\n"

# Where a rule finds its work only after another.
BEFORE: dict[str, Rule] = {
    "drop_empty": fold_constants,
    "push_filter_below_filter": split_filter,
    "merge_filters": split_filter,
    "unnest_exists": split_filter,
    "fold_constants": split_filter,
}
# create_plan leaves these nothing to do: tested on plans built by hand.
BY_HAND = {"lift_distinct", "split_pattern"}
NAMED = {rule.__name__: rule for rule in RULES}
CASES = [
    (name, case) for name in sorted(NAMED.keys() - BY_HAND) for case in golden(f"rules/{name}")
]


def canonical(name: str, case: Case) -> Operator:
    plan = create_plan(parse(PREFIX + case.input))
    return plan.transform(BEFORE[name]) if name in BEFORE else plan


def applied(rule: Rule, plan: Operator) -> Operator:
    if rule is drop_unmatched_sources:
        return plan.transform(partial(drop_unmatched_sources, sources=KNOWN))
    return rule(plan) if rule in WHOLE else plan.transform(rule)


def must_not(case: Case) -> bool:
    """Titles say where a rule must not apply: "not: because" or "not so: because"."""
    return case.title.startswith("not") and not case.title.startswith("nothing")


@pytest.mark.parametrize(("name", "case"), CASES, ids=str)
def test_a_rule_on_a_query(name: str, case: Case, pytestconfig: pytest.Config) -> None:
    rule, before = NAMED[name], canonical(name, case)
    after = applied(rule, before)
    text = explain(after, {"": str(EX)})
    if pytestconfig.getoption("--update-golden"):
        update(f"rules/{name}", case, text)
        return
    assert text == case.plan
    assert (after == before) is must_not(case)


@pytest.mark.parametrize(("name", "case"), CASES, ids=str)
def test_what_is_optimised_stays_as_it_is(name: str, case: Case) -> None:
    best = optimize(create_plan(parse(PREFIX + case.input)))
    assert optimize(best) == best


def test_every_rule_has_cases_where_it_applies() -> None:
    files = {path.stem for path in (FOLDER / "rules").glob("*.plan")}
    assert files | BY_HAND == NAMED.keys()
    for name in files:
        assert not all(must_not(case) for case in golden(f"rules/{name}"))
