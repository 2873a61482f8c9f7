"""What the bits are made of: one registration a facet.

A facet of one value a sample is a Column; of several (operators, tags) a Many; a number with ranges an Amount. To add
one, register it from AppConfig.ready() and run `migrate`, which makes its triggers and its bits:

    register(Many("tag", "SELECT n.number, t.name FROM concur_sample_number n "
                         "JOIN datasets_app_sampletag x ON x.sample_id = n.sample_id "
                         "JOIN datasets_app_tag t ON t.id = x.tag_id WHERE n.number {rows}",
                  touched=(Touch("datasets_app_sampletag"),)))

Its counts and its filter follow where browse's vocabulary has a field of the same name that says what it `admits`.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

AMOUNT_BITS = 64


@dataclass(frozen=True)
class Touch:
    """A table whose change changes the facet; `samples` gives the ids of the samples from one row of it."""

    table: str
    samples: str = "{row}.sample_id"  # an expression, or a SELECT; {row} is the row that changed
    columns: str = ""  # for updates: only those of these columns


def plain(value: Any) -> str:
    return "" if value is None else str(value)


@dataclass(frozen=True)
class Column:
    """One cell a sample: an SQL expression over s (the sample) and t (its task); `cell` names its value."""

    name: str
    sql: str
    cell: Callable[[Any], str] = plain
    edition: str = ""  # another text when `cell` means something else than before


@dataclass(frozen=True)
class Many:
    """Any number of cells a sample: a SELECT of (number, cell) with `{rows}` for the condition on the number."""

    name: str
    sql: str
    touched: tuple[Touch, ...] = ()


@dataclass(frozen=True)
class Amount:
    """A number or null, never negative: an SQL expression over s. See also `labels`, for numbers that are names."""

    name: str
    sql: str
    touched: tuple[Touch, ...] = ()  # tables beside the sample's own that it is read from
    number: Callable[[Any], float] = float  # of what the expression gives


Facet = Column | Many | Amount
_registered: dict[str, Facet] = {}


def register(*facets: Facet) -> None:
    """Make facets known. A second one of the same name takes the place of the first."""
    for facet in facets:
        _registered[facet.name] = facet


def forget(name: str) -> None:
    _registered.pop(name, None)


def columns() -> list[Column]:
    return [facet for facet in _registered.values() if isinstance(facet, Column)]


def manies() -> list[Many]:
    return [facet for facet in _registered.values() if isinstance(facet, Many)]


def amounts() -> list[Amount]:
    return [facet for facet in _registered.values() if isinstance(facet, Amount)]


def amount(name: str) -> Amount:
    """Raises KeyError where none of this name is registered."""
    return {one.name: one for one in amounts()}[name]


def names() -> set[str]:
    """Facets whose values have bits of their own; amounts have none."""
    return {facet.name for facet in _registered.values() if not isinstance(facet, Amount)}


def signature() -> str:
    """Changes with what is registered: bits made for another signature are made anew."""
    parts = [f"{one.name}|{one.sql}|{getattr(one, 'edition', '')}" for one in _registered.values()]
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:32]


def digits(value: float) -> int:
    """A float of 0 or more as an integer of 64 bits that orders as the float does."""
    return struct.unpack("<Q", struct.pack("<d", value))[0]


# --- The ones that every site has ---

EPOCH = datetime(2020, 1, 1, tzinfo=UTC)


def moment(at: datetime) -> float:
    """Whole milliseconds since the start of 2020, never negative; SQLite gives times without a zone."""
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return float(max(0, (aware - EPOCH) // timedelta(milliseconds=1)))


def length_bin(tokens: int | None) -> str:
    return "" if tokens is None else named(tokens, LENGTHS)


def gain_bin(speedup: float | None) -> str:
    return "" if speedup is None else named(speedup, GAINS)


def named(value: float, bins: dict[str, tuple[float, float]]) -> str:
    return next(name for name, (low, high) in bins.items() if low <= value < high)


INFINITE = float("inf")
LENGTHS: dict[
    str, tuple[float, float]
] = {  # tokens: from, below; easy and hard traces part at 4,000 and 8,500
    "under_1k": (0, 1000),
    "1k_2k": (1000, 2000),
    "2k_4k": (2000, 4000),
    "4k_8.5k": (4000, 8500),
    "8.5k_16k": (8500, 16_000),
    "over_16k": (16_000, INFINITE),
}
GAINS: dict[str, tuple[float, float]] = {  # measured speedup: from, below
    "under_0.5": (0, 0.5),
    "0.5_1": (0.5, 1),
    "1_1.5": (1, 1.5),
    "1.5_2": (1.5, 2),
    "2_5": (2, 5),
    "over_5": (5, INFINITE),
}
# Verified rows by what their verdict is bound to. Which of those are stale now is asked when it is counted.
BOUND_TO = "CASE WHEN s.outcome = '' THEN '' ELSE 'by:' || s.environment END"
CLUSTER = """(SELECT coalesce(shape.leader_id, shape.id) FROM datasets_app_kernelfingerprint print
    JOIN datasets_app_codeshape shape ON shape.id = print.shape_id WHERE print.sample_id = s.id)"""
EVIDENCE = Touch(
    "datasets_app_evidence",
    columns="sample_id, device, verification_id, is_headline, runs_disagree, outcome, speedup",
)
# From the samples to their own evidence, whatever the planner knows of the tables: SQLite takes a CROSS JOIN in the
# order in which it is written.
FINDINGS = """SELECT n.number, f.code FROM concur_sample_number n
    CROSS JOIN datasets_app_evidence e CROSS JOIN datasets_app_finding f
    WHERE n.number {rows} AND e.sample_id = n.sample_id AND e.is_headline AND f.verification_id = e.verification_id
    UNION ALL SELECT n.number, 'runs_disagree' FROM concur_sample_number n CROSS JOIN datasets_app_evidence e
    WHERE n.number {rows} AND e.sample_id = n.sample_id AND e.is_headline AND e.runs_disagree"""
DEVICES = """SELECT n.number, e.device FROM concur_sample_number n CROSS JOIN datasets_app_evidence e
    WHERE n.number {rows} AND e.sample_id = n.sample_id"""
# What lists say of evidence, of that which is no headline: the device and the facet's name stand before the value.
ON_DEVICE = """SELECT n.number, e.device || {cell} FROM concur_sample_number n CROSS JOIN datasets_app_evidence e
    WHERE n.number {{rows}} AND e.sample_id = n.sample_id AND NOT e.is_headline"""
GAIN = " ".join(
    f"WHEN e.speedup < {high!r} THEN '|gain|{name}'" for name, (_, high) in GAINS.items() if high != INFINITE
)
ON_DEVICE_PARTS = (
    ON_DEVICE.format(cell="'|outcome|' || e.outcome"),
    ON_DEVICE.format(cell="'|stale|by:' || coalesce(e.environment_id, '')"),
    ON_DEVICE.format(
        cell=f"CASE WHEN e.speedup IS NULL THEN '|gain|' {GAIN} ELSE '|gain|{list(GAINS)[-1]}' END"
    ),
    ON_DEVICE.format(cell="'|finding|runs_disagree'") + " AND e.runs_disagree",
    """SELECT n.number, e.device || '|finding|' || f.code FROM concur_sample_number n
    CROSS JOIN datasets_app_evidence e CROSS JOIN datasets_app_finding f WHERE n.number {rows}
    AND e.sample_id = n.sample_id AND NOT e.is_headline AND f.verification_id = e.verification_id""",
)
OF_TASK = "SELECT id FROM datasets_app_sample WHERE task_id = {row}.task_id"

register(
    Column("outcome", "s.outcome"),
    Column("verdict", "s.verdict"),
    Column("review", "CASE WHEN s.verdict = '' THEN 'unreviewed' ELSE 'reviewed' END"),
    Column("language", "s.language"),
    Column("kind", "t.kind"),
    Column("suite", "t.suite"),
    Column("generator", "s.generator"),
    Column("source", "s.source_id"),
    Column("headline", "s.device"),
    Column("ingest", "s.ingest_id", lambda value: plain(value).replace("-", "")),
    Column("tokenizer", "s.tokenizer"),
    Column("has_trace", "s.has_trace", lambda value: "yes" if value else "no"),
    Column("stale", BOUND_TO),
    Column("length", "s.trace_tokens", length_bin, repr(LENGTHS)),
    Column("gain", "s.measured_speedup", gain_bin, repr(GAINS)),
    Many(
        "operator",
        "SELECT n.number, o.name FROM concur_sample_number n "
        "JOIN datasets_app_sample s ON s.id = n.sample_id "
        "JOIN datasets_app_task_operators x ON x.task_id = s.task_id "
        "JOIN datasets_app_operator o ON o.id = x.operator_id WHERE n.number {rows}",
        touched=(Touch("datasets_app_task_operators", OF_TASK),),
    ),
    Many("finding", FINDINGS, touched=(EVIDENCE,)),
    Many("device", DEVICES, touched=(EVIDENCE,)),
    Many("on_device", " UNION ALL ".join(ON_DEVICE_PARTS), touched=(EVIDENCE,)),
    Amount("cluster", CLUSTER, touched=(Touch("datasets_app_kernelfingerprint"),)),
    Amount("tokens", "s.trace_tokens"),
    Amount("speedup", "s.measured_speedup"),
    Amount("claimed", "s.claimed_speedup"),
    Amount("created", "s.created_at", number=moment),
    Amount("reviewed", "s.reviewed_at", number=moment),
)
# What a sample's own row and its task's say: their tables are watched whatever is registered.
OWN = (
    Touch("datasets_app_sample", "{row}.id"),
    Touch(
        "datasets_app_task",
        "SELECT id FROM datasets_app_sample WHERE task_id = {row}.id",
        columns="kind, suite",
    ),
)


def on_device(device: str, facet: str) -> str:
    """How a value of `facet` begins in the facet `on_device`."""
    return f"{device}|{facet}|"


def touched() -> list[Touch]:
    """The tables to watch beside the sample's own, each once."""
    beside: list[Many | Amount] = [*manies(), *amounts()]
    found = [OWN[1], *(touch for one in beside for touch in one.touched)]
    return list(dict.fromkeys(found))
