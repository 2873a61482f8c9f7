"""Declares what is indexed: one registration per facet.

SingleValueFacet is for one value per sample, MultiValueFacet for any number of them (operators, tags), NumericFacet for
numbers with ranges. To add one, register it from AppConfig.ready() and run `migrate`, which creates its triggers and
builds its bits:

    register(MultiValueFacet("tag", "SELECT n.number, t.name FROM concur_sample_number n "
                          "JOIN datasets_app_sampletag x ON x.sample_id = n.sample_id "
                          "JOIN datasets_app_tag t ON t.id = x.tag_id WHERE n.number {rows}",
                   touched=(Touch("datasets_app_sampletag"),)))

Its counts and its filter follow if browse's vocabulary has a field of the same name that says what it `admits`.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

NUMBER_BITS = 64


@dataclass(frozen=True)
class Touch:
    """A table whose changes affect the facet; `samples` selects the ids of the samples that one of its rows affects."""

    table: str
    samples: str = "{row}.sample_id"  # an expression or a SELECT; {row} is the row that changed
    columns: str = ""  # for updates: only of these columns


def plain(value: Any) -> str:
    return "" if value is None else str(value)


@dataclass(frozen=True)
class SingleValueFacet:
    """One value per sample: an SQL expression over s (the sample) and t (its task); `to_value` turns its result into
    the value."""

    name: str
    sql: str
    to_value: Callable[[Any], str] = plain
    edition: str = ""  # change it when `to_value` changes its meaning


@dataclass(frozen=True)
class MultiValueFacet:
    """Any number of values per sample: a SELECT of (number, value), with `{rows}` for the condition on the number."""

    name: str
    sql: str
    touched: tuple[Touch, ...] = ()


@dataclass(frozen=True)
class NumericFacet:
    """A non-negative number or null per sample: an SQL expression over s. See `labels` for numbers that identify
    something."""

    name: str
    sql: str
    touched: tuple[Touch, ...] = ()  # tables other than the sample's own that it is read from
    number: Callable[[Any], float] = float  # converts the result of the expression


Facet = SingleValueFacet | MultiValueFacet | NumericFacet
_registered: dict[str, Facet] = {}


def register(*facets: Facet) -> None:
    """Register facets. A second one of the same name replaces the first."""
    for facet in facets:
        _registered[facet.name] = facet


def forget(name: str) -> None:
    _registered.pop(name, None)


def single_value_facets() -> list[SingleValueFacet]:
    return [facet for facet in _registered.values() if isinstance(facet, SingleValueFacet)]


def multi_value_facets() -> list[MultiValueFacet]:
    return [facet for facet in _registered.values() if isinstance(facet, MultiValueFacet)]


def numeric_facets() -> list[NumericFacet]:
    return [facet for facet in _registered.values() if isinstance(facet, NumericFacet)]


def numeric_facet(name: str) -> NumericFacet:
    """Return a registered facet. Raises KeyError if there is none of this name."""
    return {facet.name: facet for facet in numeric_facets()}[name]


def names() -> set[str]:
    """Return the names of the facets that have bits per value; numeric ones have none."""
    return {facet.name for facet in _registered.values() if not isinstance(facet, NumericFacet)}


def signature() -> str:
    """Return a hash of what is registered; blocks with another signature are built again."""
    parts = [f"{facet.name}|{facet.sql}|{getattr(facet, 'edition', '')}" for facet in _registered.values()]
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:32]


def digits(value: float) -> int:
    """Return the bits of a non-negative float as an integer, which orders as the floats do."""
    return struct.unpack("<Q", struct.pack("<d", value))[0]


# --- Built-in facets ---

EPOCH = datetime(2020, 1, 1, tzinfo=UTC)


def moment(at: datetime) -> float:
    """Return the milliseconds since the start of 2020, never negative. SQLite returns times without a zone."""
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
] = {  # tokens: from, below; traces of medium length are from 4,000 to 8,500
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
# Verified rows by the environment of their verdict. Which environments are stale is looked up when they are counted.
BOUND_TO = "CASE WHEN s.outcome = '' THEN '' ELSE 'by:' || s.environment END"
CLUSTER = """(SELECT coalesce(shape.leader_id, shape.id) FROM datasets_app_kernelfingerprint print
    JOIN datasets_app_codeshape shape ON shape.id = print.shape_id WHERE print.sample_id = s.id)"""
EVIDENCE = Touch(
    "datasets_app_evidence",
    columns="sample_id, device, verification_id, is_headline, runs_disagree, outcome, speedup",
)
# From the samples to their own evidence, whatever statistics the planner has: SQLite executes a CROSS JOIN in
# the
# written order.
FINDINGS = """SELECT n.number, f.code FROM concur_sample_number n
    CROSS JOIN datasets_app_evidence e CROSS JOIN datasets_app_finding f
    WHERE n.number {rows} AND e.sample_id = n.sample_id AND e.is_headline AND f.verification_id = e.verification_id
    UNION ALL SELECT n.number, 'runs_disagree' FROM concur_sample_number n CROSS JOIN datasets_app_evidence e
    WHERE n.number {rows} AND e.sample_id = n.sample_id AND e.is_headline AND e.runs_disagree"""
DEVICES = """SELECT n.number, e.device FROM concur_sample_number n CROSS JOIN datasets_app_evidence e
    WHERE n.number {rows} AND e.sample_id = n.sample_id"""
# Lists' facets of evidence that is not the headline's: values are prefixed with the device and the facet's
# name.
ON_DEVICE = """SELECT n.number, e.device || {value} FROM concur_sample_number n CROSS JOIN datasets_app_evidence e
    WHERE n.number {{rows}} AND e.sample_id = n.sample_id AND NOT e.is_headline"""
GAIN = " ".join(
    f"WHEN e.speedup < {high!r} THEN '|gain|{name}'" for name, (_, high) in GAINS.items() if high != INFINITE
)
ON_DEVICE_PARTS = (
    ON_DEVICE.format(value="'|outcome|' || e.outcome"),
    ON_DEVICE.format(value="'|stale|by:' || coalesce(e.environment_id, '')"),
    ON_DEVICE.format(
        value=f"CASE WHEN e.speedup IS NULL THEN '|gain|' {GAIN} ELSE '|gain|{list(GAINS)[-1]}' END"
    ),
    ON_DEVICE.format(value="'|finding|runs_disagree'") + " AND e.runs_disagree",
    """SELECT n.number, e.device || '|finding|' || f.code FROM concur_sample_number n
    CROSS JOIN datasets_app_evidence e CROSS JOIN datasets_app_finding f WHERE n.number {rows}
    AND e.sample_id = n.sample_id AND NOT e.is_headline AND f.verification_id = e.verification_id""",
)
OF_TASK = "SELECT id FROM datasets_app_sample WHERE task_id = {row}.task_id"

register(
    SingleValueFacet("outcome", "s.outcome"),
    SingleValueFacet("verdict", "s.verdict"),
    SingleValueFacet("review", "CASE WHEN s.verdict = '' THEN 'unreviewed' ELSE 'reviewed' END"),
    SingleValueFacet("language", "s.language"),
    SingleValueFacet("kind", "t.kind"),
    SingleValueFacet("suite", "t.suite"),
    SingleValueFacet("level", "t.level"),
    SingleValueFacet("generator", "s.generator"),
    SingleValueFacet("source", "s.source_id"),
    SingleValueFacet("headline", "s.device"),
    SingleValueFacet("ingest", "s.ingest_id", lambda value: plain(value).replace("-", "")),
    SingleValueFacet("tokenizer", "s.tokenizer"),
    SingleValueFacet("has_trace", "s.has_trace", lambda value: "yes" if value else "no"),
    SingleValueFacet("stale", BOUND_TO),
    SingleValueFacet("withdrawn", "s.withdrawn", lambda value: "yes" if value else "no"),
    SingleValueFacet("length", "s.trace_tokens", length_bin, repr(LENGTHS)),
    SingleValueFacet("gain", "s.measured_speedup", gain_bin, repr(GAINS)),
    MultiValueFacet(
        "operator",
        "SELECT n.number, o.name FROM concur_sample_number n "
        "JOIN datasets_app_sample s ON s.id = n.sample_id "
        "JOIN datasets_app_task_operators x ON x.task_id = s.task_id "
        "JOIN datasets_app_operator o ON o.id = x.operator_id WHERE n.number {rows}",
        touched=(Touch("datasets_app_task_operators", OF_TASK),),
    ),
    MultiValueFacet(
        "task_finding",
        "SELECT n.number, f.code FROM concur_sample_number n "
        "JOIN datasets_app_sample s ON s.id = n.sample_id "
        "JOIN datasets_app_taskfinding f ON f.task_id = s.task_id WHERE n.number {rows}",
        touched=(Touch("datasets_app_taskfinding", OF_TASK),),
    ),
    MultiValueFacet("finding", FINDINGS, touched=(EVIDENCE,)),
    MultiValueFacet("device", DEVICES, touched=(EVIDENCE,)),
    MultiValueFacet("on_device", " UNION ALL ".join(ON_DEVICE_PARTS), touched=(EVIDENCE,)),
    NumericFacet("cluster", CLUSTER, touched=(Touch("datasets_app_kernelfingerprint"),)),
    NumericFacet("tokens", "s.trace_tokens"),
    NumericFacet("speedup", "s.measured_speedup"),
    NumericFacet("claimed", "s.claimed_speedup"),
    NumericFacet("ratio", "s.claim_ratio"),
    NumericFacet("votes", "s.votes"),
    NumericFacet("agreement", "s.agreement"),
    NumericFacet("created", "s.created_at", number=moment),
    NumericFacet("reviewed", "s.reviewed_at", number=moment),
)
# The tables of a sample's own row and of its task, which are always watched.
OWN = (
    Touch("datasets_app_sample", "{row}.id"),
    Touch(
        "datasets_app_task",
        "SELECT id FROM datasets_app_sample WHERE task_id = {row}.id",
        columns="kind, suite, level",
    ),
)


def on_device(device: str, facet: str) -> str:
    """Return the prefix of values of `facet` in the facet `on_device`."""
    return f"{device}|{facet}|"


def touched() -> list[Touch]:
    """Return the watched tables other than the sample's own, each once."""
    beside: list[MultiValueFacet | NumericFacet] = [*multi_value_facets(), *numeric_facets()]
    tables = [OWN[1], *(touch for facet in beside for touch in facet.touched)]
    return list(dict.fromkeys(tables))
