from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import given

from askos.algebra import (
    Boundary,
    Constant,
    Expression,
    Intervals,
    Join,
    Kind,
    OnChange,
    Operator,
    Periodic,
    Ref,
    Report,
    SteppedWindow,
    StreamAccess,
    from_json,
    node_from_json,
    to_json,
)
from askos.errors import QueryError
from askos.explaining import explain
from askos.terms import Literal
from tests.build import S1, X, Y, pattern
from tests.plans import PLANS
from tests.strategies import expressions, plans


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_built_by_hand_comes_back(name: str) -> None:
    plan = PLANS[name]
    assert from_json(to_json(plan)) == plan
    assert explain(from_json(to_json(plan, indent=2))) == explain(plan)


@given(plans())
def test_plans_come_back(plan: Operator) -> None:
    copy = from_json(to_json(plan))
    assert copy == plan
    assert hash(copy) == hash(plan)


@given(expressions())
def test_expressions_come_back(expression: Expression) -> None:
    assert node_from_json(to_json(expression)) == expression


@pytest.mark.parametrize(
    "report",
    [Intervals(), Periodic(Kind.ISTREAM, (5, 7), 3, True), OnChange(Kind.DSTREAM)],
    ids=lambda report: type(report).__name__,
)
def test_reports_come_back(report: Report) -> None:
    assert node_from_json(to_json(report)) == report


def test_the_form_is_plain_and_leaves_out_defaults() -> None:
    window = SteppedWindow(StreamAccess(S1), 10, 5, boundary=Boundary.CLOSED_OPEN)
    assert json.loads(to_json(window)) == {
        "askos plan": 1,
        "is": "SteppedWindow",
        "input": {"is": "StreamAccess", "source": {"iri": str(S1)}},
        "width": 10,
        "step": 5,
        "boundary": {"one of": "Boundary", "value": "[o,c)"},
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1, column 2: plan JSON"),
        ("[]", "version None is not known"),
        ('{"askos plan": 2, "is": "Join"}', "version 2 is not known"),
        ('{"askos plan": 1, "var": "x"}', "the document is not a plan"),
        ('{"askos plan": 1, "is": "Jion"}', "unknown operator or expression 'Jion'"),
        ('{"askos plan": 1, "is": "Ask"}', "Ask lacks its part 'input'"),
        ('{"askos plan": 1, "is": "Ask", "output": 1}', "Ask has no part 'output'"),
        ('{"askos plan": 1, "is": "Ask", "input": {"what": 1}}', "is not part of a plan"),
        ('{"askos plan": 1, "is": "Ask", "input": 5}', "Ask: input must be an operator, not 5"),
        (
            '{"askos plan": 1, "is": "OnChange", "kind": {"one of": "Kind", "value": "X"}}',
            "'X' is no Kind",
        ),
        ('{"askos plan": 1, "is": "Operator"}', "unknown operator or expression 'Operator'"),
        ('{"askos plan": 1, "is": "Aggregate"}', "unknown operator or expression 'Aggregate'"),
        ('{"askos plan": 1, "is": "Values", "columns": [], "rows": 5}', "rows must be a tuple"),
        (
            '{"askos plan": 1, "is": "Constant", "term": {"literal": "a", "language": "?"}}',
            "'?' is not a language tag",
        ),
    ],
)
def test_json_that_is_no_plan_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(QueryError) as caught:
        node_from_json(text)
    assert message in str(caught.value)


def test_an_expression_is_not_a_plan() -> None:
    with pytest.raises(QueryError, match="Ref is not an operator"):
        from_json(to_json(Ref(X)))


def test_decoded_parts_are_checked_by_the_constructors() -> None:
    good = json.loads(to_json(Join(pattern(X, "p", Y), pattern(X, "q", Y))))
    good["left"] = good["left"]["input"]
    with pytest.raises(QueryError, match="Join: left must yield solutions"):
        from_json(json.dumps(good))


def test_a_foreign_value_in_a_plan_cannot_be_written() -> None:
    with pytest.raises(TypeError, match="cannot be part of a plan"):
        to_json(Access(S1, object()))


@dataclass(frozen=True, slots=True)
class Access(StreamAccess):
    """A user's own operator, with a part that JSON does not know."""

    extra: object = None


def test_a_text_that_is_no_unicode_is_written_as_ascii() -> None:
    odd = Constant(Literal("\ud800 ü"))
    assert to_json(odd).isascii()
    assert node_from_json(to_json(odd)) == odd
