"""The columns of every export: ConCuR's own first, in its order and with its names, then ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Record:
    """One row to be written: a sample's texts, and what was known of it.

    Plain values: model instances that know each other would wait for the garbage collector, texts and all.
    """

    id: str
    task_id: str
    external_id: str
    pytorch_code: str
    reasoning: str
    kernel_code: str
    snapshot: dict[str, Any]
    split: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Column:
    name: str
    type: str  # string, float64, int64 or bool: the name in Arrow and in a dataset card
    means: str
    value: Callable[[Record], Any]


def frozen(name: str) -> Callable[[Record], Any]:
    return lambda record: record.snapshot.get(name)


def evidence(name: str) -> Callable[[Record], Any]:
    return lambda record: record.snapshot.get("evidence", {}).get(name)


COLUMNS = (
    Column("uuid", "string", "the sample's id: UUIDv5 of the normalised triple", lambda r: r.id),
    Column("problem_name", "string", "the task's name", frozen("task_name")),
    Column("pytorch_code", "string", "the reference program", lambda r: r.pytorch_code),
    Column("generated_think", "string", "the reasoning trace", lambda r: r.reasoning),
    Column("generated_code", "string", "the kernel program", lambda r: r.kernel_code),
    Column(
        "speedup_over_eager",
        "float64",
        "measured here; null where no verification passed, whatever the source claims",
        frozen("measured_speedup"),
    ),
    Column("id", "string", "the same as uuid", lambda r: r.id),
    Column("task_id", "string", "UUIDv5 of the normalised program", lambda r: r.task_id),
    Column("split", "string", "train, validation or test; drawn by task", lambda r: r.split),
    Column("reason", "string", "the rule that chose the row", lambda r: r.reason),
    Column("generator", "string", "the model or person that wrote it", frozen("generator")),
    Column("language", "string", "cuda, cpp, triton or python", frozen("language")),
    Column("kind", "string", "what the task mostly computes", frozen("kind")),
    Column("trace_tokens", "int64", "length of the trace", frozen("trace_tokens")),
    Column("tokenizer", "string", "what counted trace_tokens", frozen("tokenizer")),
    Column(
        "outcome",
        "string",
        "of the newest verification when frozen; empty: never verified",
        frozen("outcome"),
    ),
    Column("device", "string", "that the verification ran on", frozen("device")),
    Column("engine", "string", "version of the engine that verified it", evidence("engine")),
    Column("verified_at", "string", "UTC, ISO 8601", evidence("verified_at")),
    Column("claimed_speedup", "float64", "over eager, as the source claims", frozen("claimed_speedup")),
    Column("claimed_correct", "bool", "as the source claims", frozen("claimed_correct")),
    Column("verdict", "string", "of the newest review when frozen; empty: none", frozen("verdict")),
    Column("source", "string", "where the row came from", frozen("source")),
    Column("licence", "string", "that the source declares; empty: none", frozen("licence")),
    Column("external_id", "string", "the row's name in its source", lambda r: r.external_id),
    Column("suite", "string", "the benchmark that numbers the task; empty: none", frozen("suite")),
    Column("level", "int64", "in that suite", frozen("level")),
)
NAMES = tuple(column.name for column in COLUMNS)
FLOATS = tuple(column.name for column in COLUMNS if column.type == "float64")


def values(record: Record) -> dict[str, Any]:
    row = {column.name: column.value(record) for column in COLUMNS}
    for name in FLOATS:  # a database may give 2 back for 2.0
        row[name] = None if row[name] is None else float(row[name])
    return row
