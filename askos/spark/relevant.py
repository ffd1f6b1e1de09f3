"""What of a stream's rows Python needs to see: pattern constants as tests in the JVM."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import reduce
from operator import and_, or_
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from askos.algebra import Pattern
from askos.algebra.chains import chained
from askos.algebra.operators.pattern import Position
from askos.interval import FOREVER
from askos.io.constants import Constant, Constants
from askos.physical import Feed
from askos.physical.ingest import PLAIN
from askos.physical.limit import NO_LIMIT, Limit
from askos.terms import IRI, STRING, XSD, Literal, Term, URIRef, Variable, n3

NOISE: Final = "noise"
_SAMPLE: Final = 64  # of the triples that match nothing, one in so many tells the time
_MANY: Final = 64  # patterns that are tested one by one
_BLANK: Final = r"_:\S+"


def relevant(
    rows: DataFrame, feeds: tuple[Feed, ...], *, clock: bool = False, limit: Limit = NO_LIMIT
) -> DataFrame:
    """The rows some pattern may match, and enough others to know the time.

    What matches nothing dies in the JVM, before Python sees it.  But progress must not depend
    on the patterns: a part of the other rows, chosen by hash, is kept for its timestamp.  And
    what is no triple at all, or beyond the `limit`, is kept, to be refused with its reason.

    A clock needs the times of all rows: then the others stay, as NOISE, with nothing but these.
    """
    patterns = [_pattern(feed) for feed in feeds]
    if any(pattern is None for pattern in patterns):
        return rows
    tests = _tests([pattern for pattern in patterns if pattern is not None])
    wanted = F.coalesce(chained(or_, [F.lit(False), *tests]), F.lit(True))
    if clock:
        noise = ~(wanted | _suspect(limit)) & _plain()
        texts = [F.when(~noise, F.col(name)).alias(name) for name in "spo"]
        rest = [F.col(name) for name in rows.columns if name not in "spo"]
        return rows.select(*texts, *rest, noise.alias(NOISE))
    sample = F.pmod(F.hash("s", "p", "o", "ts"), F.lit(_SAMPLE)) == 0
    return rows.where(wanted | sample | _suspect(limit))


def constants(feeds: tuple[Feed, ...]) -> Constants | None:
    """The same tests for whoever reads the rows; None where all of them are needed."""
    patterns = [_pattern(feed) for feed in feeds]
    if any(pattern is None for pattern in patterns):
        return None
    return Constants(tuple(_constants(*p.positions) for p in patterns if p is not None))


def _constants(s: Position, p: Position, o: Position) -> Constant:
    return _constant(s), _constant(p), _constant(o)


def _constant(position: Position) -> Term | None:
    return None if isinstance(position, Variable) else position


def _pattern(feed: Feed) -> Pattern | None:
    found = next((node for node in feed.plan.walk() if isinstance(node, Pattern)), None)
    constant = found and any(not isinstance(p, Variable) for p in found.positions)
    return found if constant else None


def _tests(patterns: Sequence[Pattern]) -> list[Column]:
    """A test for each pattern; of many, one for each position, which lets more pass: Java has no
    room for thousands."""
    if len(patterns) <= _MANY:
        return [_matches(pattern) for pattern in patterns]
    among: dict[str, set[Term]] = {}
    for pattern in patterns:
        places = [("p", pattern.predicate), ("s", pattern.subject), ("o", pattern.object)]
        name, term = next((n, t) for n, t in places if not isinstance(t, Variable))
        among.setdefault(name, set()).add(term)
    return [_among(name, terms) for name, terms in among.items()]


def _among(name: str, terms: Set[Term]) -> Column:
    """Whether a position may be one of these terms; any literal may be, if one of them is."""
    iris = sorted(n3(term) for term in terms if not isinstance(term, Literal))
    test = F.col(name).isin(iris) | F.contains(F.col(name), F.lit("\\"))
    return test if len(iris) == len(terms) else test | F.startswith(F.col(name), F.lit('"'))


def _matches(pattern: Pattern) -> Column:
    """Whether a row may match: its constants are there, as text, or in some other spelling."""
    tests = []
    for name, position in zip("spo", pattern.positions, strict=True):
        if not isinstance(position, Variable):
            spelled = F.col(name) == n3(position)
            escaped = F.contains(F.col(name), F.lit("\\"))
            tests.append(spelled | escaped | _respelled(name, position))
    return reduce(lambda left, right: left & right, tests)


def _respelled(name: str, term: object) -> Column:
    """Literals with a language tag, or an explicit xsd:string, have several spellings."""
    if isinstance(term, URIRef) or not isinstance(term, Literal):
        return F.lit(False)
    if term.language:
        return F.lower(F.col(name)) == n3(term).lower()
    return F.endswith(F.col(name), F.lit(f"^^<{XSD.string}>"))


def _suspect(limit: Limit) -> Column:
    """Rows that are no triples, or that are stamped too late."""
    last = FOREVER - 1 if limit.not_after is None else limit.not_after
    tag = r"@[A-Za-z]+(?:-[A-Za-z0-9]+)*+"
    good = (
        F.col("s").rlike(rf"\A(?:{IRI}|{_BLANK})\z")
        & F.col("p").rlike(rf"\A{IRI}\z")
        & F.col("o").rlike(rf"\A(?:{IRI}|{_BLANK}|{STRING}(?:{tag}|\^\^{IRI})?)\z")
        & reduce(and_, (F.is_valid_utf8(name) for name in "spo"))
        & F.col("ts").between(0, min(last, FOREVER - 1))
    )
    if limit.ahead is not None:  # so written, nothing overflows
        earliest = F.greatest("ts", F.lit(0)) - F.lit(limit.ahead)
        good &= (F.col("arrived") >= earliest) & (F.col("arrived") >= 0)
    return ~F.coalesce(good, F.lit(False))


def _plain() -> Column:
    """Rows that are triples at sight: what is not is left to those who look closer, in every
    stage, so that all of them agree on which rows move the clock."""
    plain = [F.col(name).rlike(PLAIN) for name in "spo"]
    good = reduce(lambda left, right: left & right, plain)
    good &= ~F.startswith(F.col("s"), F.lit('"')) & F.startswith(F.col("p"), F.lit("<"))
    return F.coalesce(good & F.col("ts").between(0, FOREVER - 1), F.lit(False))
