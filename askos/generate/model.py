"""The static graph of a park as Turtle: who stands where, what types can do, what tags mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from askos.generate.layout import CUT_OUT, Layout, Type
from askos.generate.park import MINUTE
from askos.generate.planning import Plan
from askos.generate.truth import MAINTENANCE
from askos.generate.vocabulary import CLASSES, RDFS, SIGNALS, VENDORS, WIND, Vendor

_NODES: Final = sorted({signal.node for signal in SIGNALS})


def park_turtle(layout: Layout, plans: Sequence[Plan]) -> str:
    """`park.ttl`: the park as it begins."""
    own = range(layout.park.turbines)
    vendors = [v for v in VENDORS if any(layout.vendors[i] == v for i in own)]
    parts = [*_prefixes(vendors), "", *_iec_names()]
    for vendor in vendors:
        of = next(i for i in own if layout.vendors[i] == vendor)
        parts += ["", *_tags(vendor), *_type(layout.types[of])]
    parts += ["", *(line for number in own for line in _turbine(layout, number))]
    return "\n".join([*parts, *_maintenance(layout, plans), ""])


def joining_turtle(layout: Layout) -> str:
    """`joining.ttl`: what is added when the turbine of the third vendor joins.

    Its type is known already.
    """
    number = layout.park.turbines
    vendor = layout.vendors[number]
    return "\n".join([*_prefixes([vendor]), "", *_tags(vendor), "", *_turbine(layout, number), ""])


def _prefixes(vendors: Sequence[Vendor]) -> Iterator[str]:
    yield f"@prefix :     <{WIND}> ."
    yield f"@prefix rdfs: <{RDFS}> ."
    yield "@prefix xsd:  <http://www.w3.org/2001/XMLSchema#> ."
    for node in _NODES:
        yield f"@prefix {node.lower()}: <{CLASSES}{node}#> ."
    for vendor in vendors:
        if vendor.tags:
            yield f"@prefix {vendor.name}: <{vendor.namespace}> ."


def _iec_names() -> Iterator[str]:
    """Every property is a subproperty of itself; written down, it needs no reasoning."""
    for signal in SIGNALS:
        name = f"{signal.node.lower()}:{signal.name}"
        exact = f':factor 1.0 ; :offset 0.0 ; :unit "{signal.unit}"'
        yield f"{name} rdfs:subPropertyOf {name} ; {exact} ."


def _tags(vendor: Vendor) -> Iterator[str]:
    for tag in vendor.tags:
        node, name = tag.signal.split("_")
        meaning = f"rdfs:subPropertyOf {node.lower()}:{name}"
        yield f"{vendor.name}:{tag.name} {meaning} ; :factor {tag.factor} ; :offset {tag.offset} ."


def _type(each: Type) -> Iterator[str]:
    yield f":{each.name} a :Type ; :ratedPower {each.rated_power}.0 ;"
    yield f"  :maxOilTemperature {each.max_oil_temperature} ; :maxYawError {each.max_yaw_error} ;"
    yield f"  :maxPitchDeviation {each.max_pitch_deviation} ; :maxStarts {each.max_starts} ;"
    segments = [
        f"    [ :from {speed} ; :power {low:.1f} ; :slope {high - low:.1f} ]"
        for speed, (low, high) in enumerate(zip(each.curve, each.curve[1:], strict=False))
        if speed <= CUT_OUT + 5
    ]
    yield "  :segment\n" + " ,\n".join(segments) + " ."


def _turbine(layout: Layout, number: int) -> Iterator[str]:
    name = layout.park.names[number]
    x, y = layout.positions[number]
    row, feeder = layout.rows[number] + 1, layout.feeders[number] + 1
    yield f":{name} a :Turbine ; :type :{layout.types[number].name} ;"
    yield f"  :vendor :{layout.vendors[number].name.capitalize()} ; :row :R{row} ;"
    yield f"  :feeder :F{feeder} ; :x {x:.0f} ; :y {y:.0f} ."
    # Who is not there yet is nobody's neighbour; who joins is that of others, both ways.
    near = [b for a, b in layout.neighbours if a == number and b <= max(number, _last(layout))]
    for other in near:
        yield f":{name} :neighbour :{layout.park.names[other]} ."
        if number > _last(layout):
            yield f":{layout.park.names[other]} :neighbour :{name} ."


def _last(layout: Layout) -> int:
    return layout.park.turbines - 1


def _maintenance(layout: Layout, plans: Sequence[Plan]) -> Iterator[str]:
    planned = [plan for plan in plans if plan.kind == MAINTENANCE]
    for number, plan in enumerate(planned, 1):
        begins, ends = (_time(layout, minute) for minute in (plan.begin, plan.end))
        yield f":M{number} a :Maintenance ; :of :{layout.park.names[plan.turbine]} ;"
        yield f'  :begins "{begins}"^^xsd:dateTime ; :ends "{ends}"^^xsd:dateTime .'


def _time(layout: Layout, minute: int) -> str:
    at = (layout.park.start + minute * MINUTE) // 1000
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
