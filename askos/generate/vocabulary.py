"""The words of the park: IEC 61400-25's data names, one namespace for the model, vendors' tags.

A datum is named by its logical node and its name in it, as IEC 61400-25-2 has them: active power is
`WTUR#W`, the oil of the gearbox `WTRM#TrmTmpGbxOil`.  All else that a park consists of is in one
namespace, `http://wind.example/`: turbines (`T07`), rows, feeders, types, thresholds.

A vendor's own tag is a subproperty of the datum it stands for, with the factor and the offset
that turn its unit into ours: `value * factor + offset`.  IEC's own names are written down as
subproperties of themselves (as RDFS has it), so one pattern reads the whole fleet:

    ?turbine ?tag ?raw . ?tag rdfs:subPropertyOf wtur:W ; :factor ?factor ; :offset ?offset
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

WIND: Final = "http://wind.example/"
SCADA: Final = WIND + "scada"
EVENTS: Final = WIND + "events"
PARK: Final = WIND + "park"
"""The static graph of `park.ttl`."""

CLASSES: Final = "http://iec.org/61400-25/root/ln/classes/"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"


def datum(node: str, name: str) -> str:
    """The predicate of a datum of a logical node.

    >>> datum("WTUR", "W")
    'http://iec.org/61400-25/root/ln/classes/WTUR#W'
    """
    return f"{CLASSES}{node}#{name}"


@dataclass(frozen=True, slots=True)
class Signal:
    """A datum that is read every interval: how it is called, its unit and its digits."""

    node: str
    name: str
    unit: str
    digits: int

    @property
    def iri(self) -> str:
        """Its predicate."""
        return datum(self.node, self.name)

    @property
    def key(self) -> str:
        """As OpenOA writes it: WTUR_W."""
        return f"{self.node}_{self.name}"


SIGNALS: Final = (
    Signal("WTUR", "W", "kW", 1),  # active power
    Signal("WTUR", "DmdW", "kW", 1),  # the most that may be fed in: rated, unless curtailed
    Signal("WROT", "RotSpd", "rpm", 2),
    Signal("WROT", "BlPthAngVal", "deg", 2),  # pitch as measured
    Signal("WROT", "BlPthAngSp", "deg", 2),  # pitch as demanded
    Signal("WTRM", "TrmTmpGbxOil", "degC", 1),
    Signal("WGEN", "Spd", "rpm", 1),
    Signal("WGEN", "GnTmpSta", "degC", 1),
    Signal("WNAC", "Dir", "deg", 1),  # where the nacelle points
    Signal("WNAC", "WdSpd", "m/s", 2),  # the cup anemometer, which ice slows down
    Signal("WNAC", "IntlTmp", "degC", 1),
    Signal("WYAW", "CabWup", "deg", 1),  # how far the cables are wound up
    Signal("WMET", "HorWdSpd", "m/s", 2),  # the ultrasonic anemometer, which is heated
    Signal("WMET", "HorWdDir", "deg", 1),
    Signal("WMET", "HorWdDirRel", "deg", 1),  # the vane: wind less nacelle
    Signal("WMET", "EnvTmp", "degC", 1),
)
SIGNAL: Final = {signal.key: signal for signal in SIGNALS}

STATE: Final = datum("WTUR", "TurSt")
START_COUNT: Final = datum("WTUR", "StrCnt")
STOP_COUNT: Final = datum("WTUR", "StopCnt")
ALARM_TIME: Final = datum("WALM", "AlmTm")
ALARM: Final = datum("WALM", "AlmCod")
EVENT_KINDS: Final = (STATE, START_COUNT, STOP_COUNT, ALARM_TIME, ALARM)

STATES: Final = (
    "FullPerformance",
    "PartialPerformance",
    "TechnicalStandby",
    "OutOfEnvironmentalSpecification",
    "RequestedShutdown",
    "ScheduledMaintenance",
    "ForcedOutage",
)
"""IEC 61400-26's categories that a turbine tells; a silent one is InformationUnavailable."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A vendor's name for a signal; `raw * factor + offset` is in the unit of the signal.

    Factors are decimals of few digits, so that conversions stay exact, and quick.
    """

    name: str
    signal: str
    factor: str
    offset: str = "0.0"
    digits: int = 1


@dataclass(frozen=True, slots=True)
class Vendor:
    """Who makes turbines that speak in tags of their own, where these differ from IEC's names."""

    name: str
    tags: tuple[Tag, ...] = ()

    @property
    def namespace(self) -> str:
        """Where its tags are."""
        return f"http://{self.name}.example/"

    def tag(self, signal: str) -> Tag | None:
        """What it calls a signal, unless by IEC's name."""
        return next((tag for tag in self.tags if tag.signal == signal), None)


BOREAS: Final = Vendor("boreas")
"""Speaks IEC 61400-25 as it is."""
NOTOS: Final = Vendor(
    "notos",
    (
        Tag("P_MW", "WTUR_W", "1000.0", digits=4),
        Tag("P_limit_MW", "WTUR_DmdW", "1000.0", digits=4),
        Tag("GearOil_F", "WTRM_TrmTmpGbxOil", "0.5556", "-17.78"),
        Tag("Stator_F", "WGEN_GnTmpSta", "0.5556", "-17.78"),
        Tag("Ambient_F", "WMET_EnvTmp", "0.5556", "-17.78"),
    ),
)
EUROS: Final = Vendor(
    "euros",
    (
        Tag("Leistung_W", "WTUR_W", "0.001"),
        Tag("Sollleistung_W", "WTUR_DmdW", "0.001"),
        Tag("Wind_kn", "WMET_HorWdSpd", "0.5144", digits=2),
        Tag("Schalenkreuz_kn", "WNAC_WdSpd", "0.5144", digits=2),
        Tag("Blatt_mrad", "WROT_BlPthAngVal", "0.0573"),
        Tag("Blatt_soll_mrad", "WROT_BlPthAngSp", "0.0573"),
    ),
)
ZEPHYROS: Final = Vendor(
    "zephyros",
    (
        Tag("power_hp", "WTUR_W", "0.7457"),
        Tag("limit_hp", "WTUR_DmdW", "0.7457"),
        Tag("oil_K", "WTRM_TrmTmpGbxOil", "1.0", "-273.15", digits=2),
        Tag("wind_kmh", "WMET_HorWdSpd", "0.2778"),
    ),
)
"""Joins while the park runs, if it is asked to."""
VENDORS: Final = (BOREAS, NOTOS, EUROS, ZEPHYROS)
