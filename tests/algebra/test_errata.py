"""The errata of the papers that concern algebra and windows (design notes, section 9).

Each test states the printed version too, and shows by an example that it is another one.
"""

from __future__ import annotations

from collections.abc import Sequence

from askos.algebra import (
    CountWindow,
    LeftJoin,
    SlidingWindow,
    Stamped,
    SteppedWindow,
    StreamAccess,
    Window,
)
from askos.algebra.reference import arrivals, content, evaluate, intervals
from askos.interval import Interval
from askos.terms import Solution, Term, Triple, Variable
from tests.build import S1, X, Y, Z, bag, pattern, solution, stream

RAW = StreamAccess(S1)


def inside(window: Window, rows: list[Stamped], t: int) -> list[int]:
    return [a.at for a in content(window, arrivals(RAW, {S1: rows}), t)]


# ---- 1: Definition 3 and Algorithm 2 --------------------------------------------------------


def test_where_the_slide_does_not_divide_the_range_definition_3_holds() -> None:
    width, slide, tau = 10, 4, 3
    rows = stream(("a", "p", 1, tau))
    printed_alg_2 = tau // slide * slide + width  # = 10
    ours = SlidingWindow(RAW, width, slide)
    valid = [t for t in range(20) if inside(ours, rows, t)]
    assert valid == list(range(3, 12))
    assert valid != list(range(tau, printed_alg_2))


def test_of_the_windows_definition_3_admits_the_one_that_ends_first_holds() -> None:
    """As printed, any i with iδ − w ≤ t < iδ will do; a later one has lost older elements."""
    width, slide, t = 10, 5, 8
    rows = stream(("a", "p", 1, 2), ("a", "p", 2, 7))
    admitted = [i for i in range(10) if i * slide - width <= t < i * slide]
    printed = [[r.at for r in rows if max(i * slide - width, 0) <= r.at <= t] for i in admitted]
    assert printed == [[2, 7], [7]]  # i = 2 and i = 3: the definition is not a function
    assert inside(SlidingWindow(RAW, width, slide), rows, t) == [2, 7]


# ---- 2: Definition 5 ------------------------------------------------------------------------


def printed_definition_5(times: Sequence[int], c: int, t: int) -> list[int]:
    def m(instant: int) -> int:
        return len([at for at in times if at <= instant])

    return [at for at in times if at <= t and max(m(t) - c, 1) <= m(at) <= m(t)]


def test_a_count_window_of_c_holds_c_elements() -> None:
    rows = stream(*(("a", "p", i, i) for i in range(1, 6)))
    assert printed_definition_5([r.at for r in rows], 2, 5) == [3, 4, 5]
    assert inside(CountWindow(RAW, 2), rows, 5) == [4, 5]


def test_a_count_window_counts_elements_of_one_instant_one_by_one() -> None:
    """Def. 4 counts (z, t, n) once whatever n, and says it is for n ≤ 1 only."""
    rows = stream(("a", "p", 1, 1), ("a", "p", 1, 1), ("a", "p", 2, 1))
    found = content(CountWindow(RAW, 2), arrivals(RAW, {S1: rows}), 1)
    assert [a.item for a in found] == [rows[1].triple, rows[2].triple]


# ---- 4: Algorithm 3 -------------------------------------------------------------------------


def printed_algorithm_3(
    places: tuple[Term | Variable, ...], triples: Sequence[Triple]
) -> list[dict[Variable, Term]]:
    mu: dict[Variable, Term] = {}
    out = []
    for triple in triples:
        pairs = list(zip(places, triple, strict=True))
        if all(isinstance(place, Variable) or place == term for place, term in pairs):
            mu |= {place: term for place, term in pairs if isinstance(place, Variable)}
            out.append(mu)
    return out


def test_every_matching_triple_gets_a_solution_of_its_own() -> None:
    rows = stream(("a", "p", "b", 1), ("b", "p", "a", 2))
    plan = pattern(X, "p", Y)
    printed = printed_algorithm_3(plan.positions, [r.triple for r in rows])
    assert printed[0] is printed[1]
    expected = bag(solution(x="a", y="b"), solution(x="b", y="a"))
    assert evaluate(plan, {S1: rows}, 5) == expected


def test_a_variable_used_twice_must_bind_equal_terms() -> None:
    rows = stream(("a", "p", "b", 1), ("b", "p", "b", 2))
    plan = pattern(X, "p", X)
    printed = printed_algorithm_3(plan.positions, [r.triple for r in rows])
    assert len(printed) == 2
    assert evaluate(plan, {S1: rows}, 5) == bag(solution(x="b"))


# ---- 9: ODYSSEUS's left join ----------------------------------------------------------------


def test_a_left_join_emits_the_remainders_of_a_partnered_element() -> None:
    """ODYSSEUS padded only elements that never had a partner, over their whole interval."""
    left = pattern(X, "p", Y, SlidingWindow(RAW, 10, 1))
    right = pattern(X, "q", Z, SlidingWindow(RAW, 3, 1))
    rows = {S1: stream(("a", "p", 1, 0), ("a", "q", 2, 4))}
    found = {(e.item, e.interval) for e in intervals(LeftJoin(left, right), rows)}
    odysseus = {(solution(x="a", y=1, z=2), Interval(4, 7))}
    alone: Solution = solution(x="a", y=1)
    assert found == odysseus | {(alone, Interval(0, 4)), (alone, Interval(7, 10))}


# ---- 10: CQELS's window ---------------------------------------------------------------------


def test_a_cqels_window_excludes_what_is_exactly_its_range_old() -> None:
    """Table 1 prints (t − T, t], the formula t − T ≤ t' ≤ t; the table holds."""
    width, t = 10, 15
    rows = stream(("a", "p", 1, 5), ("a", "p", 2, 6))
    formula = [r.at for r in rows if t - width <= r.at <= t]
    assert formula == [5, 6]
    assert inside(SlidingWindow(RAW, width, 1), rows, t) == [6]
    assert inside(SteppedWindow(RAW, width, 5), rows, t) == [6]
