"""What several queries do together, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askos.kinds import Shared, together
from askos.physical.sharing import Numbered, Sharing
from askos.physical.tally import named
from askos.planning import known_alike, physical
from askos.queries import Queries


def common(queries: Queries, buckets: int) -> str:
    """What queries do together if they begin together, a line for each part of it."""
    sharing, stages = Sharing(buckets), list[tuple[str, Numbered]]()
    told = list[str]()
    for one in together(queries.queries):
        query = one.prepared if isinstance(one, Shared) else one
        name = ", ".join(one.members) if isinstance(one, Shared) else query.name or ""
        if isinstance(one, Shared):
            told.append(f"{name} run as one: they differ in constants only")
        plan = physical(query)
        stages += ((name, each) for each in sharing.stages(plan, known_alike(query, plan)))
    return "\n".join([*told, *_shared(stages)]) or "each runs by itself"


def _shared(stages: Sequence[tuple[str, Numbered]]) -> Iterator[str]:
    """Which stages have operators with state in common, and which these are."""
    whose: dict[tuple[int, int], list[int]] = {}
    for place, (_, stage) in enumerate(stages):
        for number in stage.kept:
            whose.setdefault((stage.pool, number), []).append(place)
    kept: dict[tuple[int, ...], list[str]] = {}
    for (_, number), places in whose.items():
        operator = named(stages[places[0]][1].kept[number])
        kept.setdefault(tuple(places), []).append(operator)
    for who_has, operators in kept.items():
        if len(who_has) > 1:
            who = (f"stage {stages[n][1].stage.number + 1} of {stages[n][0]}" for n in who_has)
            yield f"{' and '.join(who)} share {', '.join(operators)}"
