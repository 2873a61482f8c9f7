"""The columns of a row, declared once: ConCuR's own first, in its order and with its names, then ours.

To add one, add a Column to COLUMNS. Freezing, the check of a release, every file format, the manifest, the card and
the evidence that the API shows of a sample are derived from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any
from uuid import UUID

from datasets_app.models.licence import joined

EVIDENCE_PREFIX = "there__"  # see SampleQuerySet.with_evidence_on


class Origin(Enum):
    """The origin of a value, and the time at which it is read."""

    CONTENT = "content"  # of the sample; it never changes, so it is read when a file is written
    FACT = "fact"  # of the sample as it is now: a release freezes it
    EVIDENCE = "evidence"  # of the sample's evidence on one device: a release freezes it
    ROW = "row"  # of the row of a release


@dataclass(frozen=True)
class Column:
    name: str
    type: str  # string, float64, int64 or bool: the name in Arrow and in a dataset card
    means: str
    origin: Origin
    path: str = ""  # from Sample, or from Evidence; of a row: its attribute
    missing: Any = None  # the value where there is none
    convert: Callable[[Any], Any] | None = None

    @property
    def lookup(self) -> str:
        """Return the lookup path from a sample whose evidence is joined."""
        return EVIDENCE_PREFIX + self.path if self.origin is Origin.EVIDENCE else self.path

    def plain(self, value: Any) -> Any:
        """Return the value as JSON and Arrow take it. A database may give 2 back for 2.0."""
        if value is None:
            return self.missing
        if self.convert:
            return self.convert(value)
        if isinstance(value, datetime):
            return value.isoformat(timespec="seconds")
        if isinstance(value, UUID):
            return str(value)
        return float(value) if self.type == "float64" else value


CONTENT, FACT, EVIDENCE, ROW = Origin.CONTENT, Origin.FACT, Origin.EVIDENCE, Origin.ROW

COLUMNS = (
    Column("uuid", "string", "the sample's id: UUIDv5 of the normalised triple", CONTENT, "id"),
    Column("problem_name", "string", "the task's name", FACT, "task__name"),
    Column("pytorch_code", "string", "the reference program", CONTENT, "task__body__pytorch_code"),
    Column("generated_think", "string", "the reasoning trace", CONTENT, "body__reasoning"),
    Column("generated_code", "string", "the kernel program", CONTENT, "body__kernel_code"),
    Column(
        "speedup_over_eager",
        "float64",
        "measured on the device; null where no verification passed there, whatever the source claims",
        EVIDENCE,
        "speedup",
    ),
    Column("id", "string", "the same as uuid", CONTENT, "id"),
    Column("task_id", "string", "UUIDv5 of the normalised program", CONTENT, "task_id"),
    Column("split", "string", "train, validation or test; drawn by task", ROW, "split", ""),
    Column("reason", "string", "the rule that chose the row", ROW, "reason", ""),
    Column("generator", "string", "the model or person that wrote it", FACT, "generator"),
    Column("language", "string", "cuda, cpp, triton or python", FACT, "language"),
    Column("kind", "string", "what the task mostly computes", FACT, "task__kind"),
    Column("trace_tokens", "int64", "length of the trace", FACT, "trace_tokens"),
    Column("tokenizer", "string", "what counted trace_tokens", FACT, "tokenizer"),
    Column("outcome", "string", "what was decided on the device; empty: nothing", EVIDENCE, "outcome", ""),
    Column("device", "string", "that the evidence is of; empty: there is none", EVIDENCE, "device", ""),
    Column("verification", "string", "id of the run that the evidence rests on", EVIDENCE, "verification_id"),
    Column("profile", "string", "how thorough that run was", EVIDENCE, "profile"),
    Column("speedup_low", "float64", "lower end of the speedup's interval", EVIDENCE, "speedup_low"),
    Column("speedup_high", "float64", "upper end of the speedup's interval", EVIDENCE, "speedup_high"),
    Column("runs_disagree", "bool", "whether like runs there exclude each other", EVIDENCE, "runs_disagree"),
    Column(
        "time_confirmed",
        "bool",
        "whether the judge's own clock confirms the time; false where none was taken",
        EVIDENCE,
        "time_confirmed",
    ),
    Column(
        "custom_kernel_share",
        "float64",
        "of the call's GPU time, 0 to 1, in kernels that the kernel program defines; null: not traced",
        EVIDENCE,
        "custom_kernel_share",
    ),
    Column("engine", "string", "version of the engine", EVIDENCE, "verification__engine_version"),
    Column("torch", "string", "version of PyTorch", EVIDENCE, "verification__torch_version"),
    Column("verified_at", "string", "UTC, ISO 8601", EVIDENCE, "finished_at"),
    Column(
        "kernelbench_correct",
        "bool",
        "what KernelBench's own protocol says; null: not asked",
        EVIDENCE,
        "verification__kernelbench_correct",
    ),
    Column(
        "kernelbench_speedup",
        "float64",
        "as KernelBench's own protocol times it; null: not asked",
        EVIDENCE,
        "verification__kernelbench_speedup",
    ),
    Column("claimed_speedup", "float64", "over eager, as the source claims", FACT, "claimed_speedup"),
    Column("claimed_correct", "bool", "as the source claims", FACT, "claimed_correct"),
    Column("verdict", "string", "of the newest review; empty: none", FACT, "verdict"),
    Column("source", "string", "where the row came from", FACT, "source__name"),
    Column(
        "licence",
        "string",
        "of the source and of the program, as an SPDX expression; empty: none declared",
        FACT,
        "licence_text",
        convert=joined,
    ),
    Column("external_id", "string", "the row's name in its source", CONTENT, "external_id"),
    Column("suite", "string", "the benchmark that numbers the task; empty: none", FACT, "task__suite"),
    Column("level", "int64", "in that suite", FACT, "task__level"),
)


def of_origin(*origins: Origin) -> tuple[Column, ...]:
    return tuple(column for column in COLUMNS if column.origin in origins)


NAMES = tuple(column.name for column in COLUMNS)
FROZEN = of_origin(FACT, EVIDENCE)
# In one query with the evidence joined: outcome, speedup, device and the run behind them are of one row of evidence.
FROZEN_LOOKUPS = tuple(column.lookup for column in FROZEN)
OF_CONTENT = of_origin(CONTENT)
OF_EVIDENCE = of_origin(EVIDENCE)


def facts(values: Sequence[Any]) -> dict[str, Any]:
    """Return what a release freezes of a sample; `values` are those of FROZEN_LOOKUPS."""
    return {column.name: column.plain(value) for column, value in zip(FROZEN, values, strict=True)}


def file_row(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return every column in order, as files hold it; `values` are keyed by the columns' names."""
    return {column.name: column.plain(values.get(column.name)) for column in COLUMNS}
