"""What came of a day, to look at: lines for the terminal, and the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from askos.backtest import Hit, total
from askos.backtest.text import duration, table
from askos.demo.proof import OTHER_PARTS, PARK, PARTS, Proof
from askos.demo.running import Run
from askos.demo.series import day
from askos.generate.jobs import Job
from askos.interval import moment
from askos.physical import tree
from askos.physical.plan import PhysicalPlan
from askos.planning import physical
from askos.prepared import Prepared
from askos.report import Plan, Report, page
from askos.report.plan import plan_picture
from askos.spark import profile

_SHOWN: Final = 12
_PICTURED: Final = "over-temperature"


def summary(run: Run) -> Iterator[str]:
    """Alerts with their beginning and end, then the score."""
    hits = sorted((hit for verdict in run.verdicts for hit in verdict.hits), key=_begin)
    rows = [("begin", "end", "turbine", "kind", "delay"), *map(_line, hits[:_SHOWN])]
    yield from _aligned(rows)
    if len(hits) > _SHOWN:
        yield f"… {len(hits)} alerts that are right, in all"
    yield ""
    yield table([*run.scores, total(run.scores)])
    yield ""
    yield _speed(run)


def _speed(run: Run) -> str:
    if run.seconds is None:
        return f"{run.rows:,} triples; the run was interrupted and went on, so nobody took its time"
    return f"{run.rows:,} triples in {run.seconds:.0f} s, {run.rows / run.seconds:,.0f} a second"


def proof_text(proof: Proof) -> Iterator[str]:
    """What was done, and what `diff` says; a long difference is cut."""
    lateness = duration(proof.folder.said["lateness_ms"])
    yield f"{len(proof.folder.turbines)} turbines for {PARK.hours} hours, twice."
    yield f"plain:    delivered as it was measured, in {PARTS} parts"
    yield f"shuffled: rows up to {lateness} out of order, in {OTHER_PARTS} parts;"
    yield f"          kill -9 in micro-batch {proof.killed_in + 1}, then started again"
    yield ""
    yield f"{len(proof.plain):,} lines of answers from {proof.answering} jobs"
    yield f"sha256 {proof.digest}"
    told = proof.difference
    yield f"diff plain/answers.txt shuffled/answers.txt says {'this:' if told else 'nothing'}"
    yield from told[:_SHOWN]


def joined(run: Run) -> str:
    """What became of the turbine that joined."""
    last = run.folder.turbines[-1]
    hits = [hit for verdict in run.verdicts for hit in verdict.hits]
    found = [hit for hit in hits if hit.fault.turbine == last.name]
    lost = [e for verdict in run.verdicts for e in verdict.missed if e.turbine == last.name]
    told = "; ".join(f"{h.fault.kind} at {_clock(h.alert.start)}" for h in found)
    return (
        f"At {_clock((run.folder.start + run.folder.end) // 2)} {last.name} joined, of the vendor"
        f" {last.vendor}, by {run.folder.added} triples. The jobs went on, and of its faults"
        f" they found {len(found)} of {len(found) + len(lost)}: {told or 'none'}."
    )


def _begin(hit: Hit) -> tuple[int, str]:
    return hit.alert.start, hit.fault.turbine


def _line(hit: Hit) -> tuple[str, ...]:
    begin, end = moment(hit.alert.start), moment(hit.alert.end)
    return begin, end, hit.fault.turbine, hit.fault.kind, duration(hit.delay)


def _clock(time: int) -> str:
    return moment(time)[11:16]


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()


# ---- the page --------------------------------------------------------------------------------


def html(run: Run, jobs: Sequence[Job], took: Sequence[tuple[str, str]]) -> str:
    """The page of a run; `took` are further figures."""
    turbines = len(run.folder.turbines)
    vendors = len({turbine.vendor for turbine in run.folder.turbines})
    found = Report(
        "A day of a wind park",
        f"{turbines} turbines of {vendors} vendors, {run.rows:,} triples, {len(jobs)} queries on"
        " one engine. What they found, beside what really happened.",
        day(run.folder),
        run.folder.truth,
        run.verdicts,
        run.scores,
        [*_figures(run), *took],
        _plan(run, jobs),
        [joined(run)] if run.folder.joining.exists() else [],
        run.folder.turbines[-1].name,
    )
    return page(found)


def _figures(run: Run) -> Iterator[tuple[str, str]]:
    yield "triples", f"{run.rows:,}"
    yield "queries", str(len(run.queries.queries))
    yield "stages on Spark", str(sum(len(_built(q).stages) for q in run.queries.queries))
    yield "micro-batches, each with a part of the day", str(run.parts)
    if run.seconds is not None:
        yield "seconds from the start of the jobs to their last answer", f"{run.seconds:.1f}"
        yield "triples a second", f"{run.rows / run.seconds:,.0f}"


def _plan(run: Run, jobs: Sequence[Job]) -> Plan:
    """The picture of one job as it ran, with how many rows its operators told."""
    job = next((job for job in jobs if job.name == _PICTURED), jobs[0])
    before, query = _placed(run, job.name)
    built = _built(query)
    own = range(before + 1, before + 1 + len(built.stages))
    told = [(o.name, o.rows_out) for o in profile(run.checkpoint).operators if o.stage in own]
    picture = plan_picture(tree(built), told, query.prefixes, job.name)
    note = "As Spark ran it; read from below. Rows are those that an operator gave to the next one."
    return Plan(job.name, job.text, picture, note)


def _placed(run: Run, name: str) -> tuple[int, Prepared]:
    """A query, and how many stages the others before it have."""
    before = 0
    for query in run.queries.queries:
        if query.name == name:
            return before, query
        before += len(_built(query).stages)
    raise LookupError(name)


def _built(query: Prepared) -> PhysicalPlan:
    return physical(query)
