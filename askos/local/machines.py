"""What runs in the in-process driver: a machine for each query, or for all queries of a kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.algebra import Intervals
from askos.columns import Batch, Coder
from askos.columns.hidden import PLACE
from askos.kinds import Shared, together
from askos.local.machine import Entering, Machine
from askos.local.query import OneOfAKind, Query, Split
from askos.local.rows import as_table, as_texts, shown
from askos.physical.dispatch import Dispatch
from askos.physical.lookups import only_looked_up
from askos.physical.pool import Together
from askos.prepared import Prepared
from askos.terms import URIRef, parse_term
from askos.translate.kinds import WHOSE


@dataclass(slots=True)
class Running:
    """Queries of one kind that run as one."""

    shared: Shared
    machine: Machine
    split: Split

    @classmethod
    def of(cls, shared: Shared, machine: Machine) -> Running:
        """On a machine that has not begun."""
        return cls(shared, machine, Split(machine, shared.members))

    def query(self, prepared: Prepared) -> OneOfAKind:
        """One of them."""
        return OneOfAKind(prepared, self.machine, self.split)

    def joined(self, query: Prepared) -> OneOfAKind | None:
        """A query, if it is of the kind, and one more can join: not by the name of one that has
        left, for what is kept may still be that one's."""
        free = self._may_change and query.name not in self.split.gone
        shared = self.shared.joined(query) if free else None
        if shared is None:
            return None
        self._look_up(shared)
        self.split.add(query.name or "")
        return self.query(query)

    def left(self, query: OneOfAKind) -> None:
        """One of them wants no more."""
        query.leave()
        self._look_up(self.shared.without(query.name))

    @property
    def _may_change(self) -> bool:
        return only_looked_up(self.machine.plan, self.shared.kind.graph)

    def _look_up(self, shared: Shared) -> None:
        self.shared = shared
        if self._may_change:
            self.machine.look_up(shared.kind.graph, shared.prepared)


class Machines:
    """All that run, each after those whose streams it reads."""

    def __init__(self, coder: Coder, buckets: int, state_limit: int) -> None:
        self._coder, self._buckets, self._state_limit = coder, buckets, state_limit
        self._alone: dict[str, Machine] = {}
        self._kinds: list[Running] = []
        self._begun = 0  # kinds so far
        self._dispatch = Dispatch[Machine](coder)

    def __iter__(self) -> Iterator[Machine]:
        yield from self._alone.values()
        yield from (kind.machine for kind in self._kinds)  # these register no streams

    def abreast(self) -> list[list[Machine]]:
        """The same, those together that hear of the same streams: they take each step one after
        the other, so that what they have in common is given it once."""
        found: dict[tuple[URIRef, ...], list[Machine]] = {}
        for machine in self:
            found.setdefault(machine.sources, []).append(machine)
        return list(found.values())

    def start(self, new: Iterable[Prepared]) -> tuple[dict[str, Query], list[Machine]]:
        """Queries by name: with others of their kind, or on machines that are to begin."""
        made, rest, begun = dict[str, Query](), list[Prepared](), list[Machine]()
        for query in new:
            joining = (kind.joined(query) for kind in self._kinds)
            joined = next((found for found in joining if found is not None), None)
            if joined is None:
                rest.append(query)
            else:
                made[joined.name] = joined
        every = together(rest, self._begun + 1)
        beginning = Together(self._buckets) if len(every) > 1 else None
        for one in every:
            if isinstance(one, Shared):
                kind = self._kind(one, beginning)
                made |= {q.name or "": kind.query(q) for q in rest if q.name in one.members}
                begun.append(kind.machine)
            else:
                begun.append(self._made(one, beginning))
                self._alone[begun[-1].name] = begun[-1]
                made[begun[-1].name] = Query(one, begun[-1])
        return made, begun

    def _kind(self, shared: Shared, beginning: Together | None) -> Running:
        self._begun += 1
        self._kinds.append(Running.of(shared, self._made(shared.prepared, beginning)))
        return self._kinds[-1]

    def _made(self, query: Prepared, beginning: Together | None) -> Machine:
        made = Machine(query, self._coder, self._buckets, self._state_limit, beginning)
        self._dispatch.add(made, made.reading)
        return made

    def entering(self, source: URIRef, triples: Batch) -> Mapping[Machine, Entering]:
        """What has become of arrivals of a stream, for whom."""
        found: dict[Machine, Entering] = {}
        if not len(triples):
            return found
        for entrances, batch in self._dispatch.feed(source, triples):
            for machine, port in entrances:
                found.setdefault(machine, {}).setdefault(port, []).append(batch)
        return found

    def put_in_order(self, names: Sequence[str]) -> None:
        """The order of all queries: publishers before their readers."""
        self._alone = {name: self._alone[name] for name in names if name in self._alone}

    def stop(self, query: Query) -> None:
        """A query that is to see nothing more."""
        if not isinstance(query, OneOfAKind):
            self._dispatch.remove(self._alone.pop(query.name))
            return
        (kind,) = (each for each in self._kinds if query.name in each.shared.members)
        kind.left(query)
        if not kind.shared.members:
            self._dispatch.remove(kind.machine)
            self._kinds.remove(kind)

    def names(self, machine: Machine) -> list[str]:
        """The queries for which a machine runs."""
        kinds = (kind.shared.members for kind in self._kinds if kind.machine is machine)
        return list(next(kinds, [machine.name]))

    def take_tables(self) -> Iterator[pa.Table]:
        """See `Engine.take_tables`."""
        alike: dict[tuple[object, ...], dict[str, Batch]] = {}
        for machine in self._alone.values():
            told = machine.take()
            form = machine.prepared.columns, _at_instants(machine), PLACE in told.columns
            alike.setdefault(form, {})[machine.name] = told
        for parts in alike.values():
            yield _together(parts, self._alone[next(iter(parts))])
        for kind in self._kinds:
            machine = kind.machine
            told, columns = kind.split.take_all(), machine.prepared.columns
            table = as_table(told, columns, told=_at_instants(machine))
            whose = _names(table[str(WHOSE)].combine_chunks())
            yield table.drop_columns([str(WHOSE)]).add_column(0, "query", whose)


def _names(whose: pa.Array) -> pa.Array:
    """The names of queries: texts without their quotes, unless something is escaped in them."""
    if not pc.any(pc.match_substring(whose, "\\")).as_py():
        return pc.utf8_slice_codeunits(whose, 1, -1)
    coded = whose.dictionary_encode()
    names = pa.array([str(parse_term(text)) for text in coded.dictionary.to_pylist()], pa.string())
    return names.take(coded.indices)


def _together(parts: Mapping[str, Batch], machine: Machine) -> pa.Table:
    """What queries have told that tell as `machine` does, with the name of its query beside each
    answer: until all is in order, by its number."""
    told, at_instants = Batch.concat(list(parts.values())), _at_instants(machine)
    columns = machine.prepared.columns
    numbers = np.arange(len(parts)).repeat([len(part) for part in parts.values()])
    marked = told.with_columns({**told.columns, WHOSE: numbers})
    rows = shown(marked, [*columns, WHOSE], told=at_instants)
    names = pa.array(list(parts), pa.string()).take(pa.array(rows.column(WHOSE)))
    return as_texts(rows, columns, told=at_instants).add_column(0, "query", names)


def _at_instants(machine: Machine) -> bool:
    return not isinstance(machine.plan.report, Intervals)
