"""The columns of a row, declared once: ConCuR's own first, in its order and with its names, then ours.

To add one, add a Column to COLUMNS. Freezing, the check of a release, every file format, the manifest, the card and
the evidence that the API shows of a sample are derived from it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any
from uuid import UUID

from datasets_app.export import gathered
from datasets_app.export.gathered import Facts, Values
from datasets_app.export.types import form_of, normal
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
    type: str  # see datasets_app.export.types
    means: str
    origin: Origin
    path: str = ""  # from Sample, or from Evidence; of a row: its attribute
    missing: Any = None  # the value where there is none
    convert: Callable[[Any], Any] | None = None
    gather: Callable[[Facts], Values] | None = None  # reads it for many samples together

    @property
    def lookup(self) -> str:
        """Return the lookup path from a sample whose evidence is joined."""
        return EVIDENCE_PREFIX + self.path if self.origin is Origin.EVIDENCE else self.path

    @property
    def nothing(self) -> Any:
        """Return the value of a sample for which nothing was gathered."""
        return [] if self.type.startswith("list<") else self.missing

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
        return normal(self.type, value)


def as_json(value: Any) -> str:
    """Return a mapping with keys of its own as JSON: a column has one type. Empty if there is nothing in it."""
    if isinstance(value, str):  # of a row that is frozen already
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""


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
    Column("split", "string", "train, validation or test, as the recipe draws", ROW, "split", ""),
    Column("reason", "string", "the rule that chose the row", ROW, "reason", ""),
    Column("generator", "string", "the model or person that wrote it", FACT, "generator"),
    Column("language", "string", "cuda, cpp, triton, python, hip or sass", FACT, "language"),
    Column(
        "sampling", "string", "of the generator, as JSON; empty: not stated", FACT, "sampling", "", as_json
    ),
    Column("kind", "string", "what the task mostly computes", FACT, "task__kind"),
    Column("operators", "list<string>", "torch operators of the task", FACT, gather=gathered.operators),
    Column("trace_tokens", "int64", "length of the trace", FACT, "trace_tokens"),
    Column("tokenizer", "string", "what counted trace_tokens", FACT, "tokenizer"),
    Column(
        "arl",
        "float64",
        "average reasoning length: mean trace_tokens over the task's samples; null: none has a trace",
        FACT,
        gather=gathered.arls,
    ),
    Column(
        "difficulty",
        "string",
        "easy, middling or hard: ConCuR's class of arl; empty: none",
        FACT,
        missing="",
        gather=gathered.difficulties,
    ),
    Column(
        "task_findings",
        "list<string>",
        "what is known against the task as a test: robust-kbench's filters and others of the admission test",
        FACT,
        gather=gathered.task_findings,
    ),
    Column("parent", "string", "uuid of the turn before it; null: a first attempt", FACT, "parent_id"),
    Column("turn", "int64", "0: a first attempt; else its place in the trajectory", FACT, "turn"),
    Column("feedback", "string", "that its generator was given on the parent", CONTENT, "body__feedback", ""),
    Column("outcome", "string", "what was decided on the device; empty: nothing", EVIDENCE, "outcome", ""),
    Column("device", "string", "that the evidence is of; empty: there is none", EVIDENCE, "device", ""),
    Column("verification", "string", "id of the run that the evidence rests on", EVIDENCE, "verification_id"),
    Column("profile", "string", "how thorough that run was", EVIDENCE, "profile"),
    Column("speedup_low", "float64", "lower end of the speedup's interval", EVIDENCE, "speedup_low"),
    Column("speedup_high", "float64", "upper end of the speedup's interval", EVIDENCE, "speedup_high"),
    Column("between_low", "float64", "lower end over like runs; null: one run", EVIDENCE, "between_low"),
    Column("between_high", "float64", "upper end over like runs; null: one run", EVIDENCE, "between_high"),
    Column("kernel_ms", "float64", "median time of the kernel program", EVIDENCE, "median_ms"),
    Column(
        "eager_ms",
        "float64",
        "median time of the reference in the same run",
        EVIDENCE,
        "verification__eager_median_ms",
    ),
    Column(
        "baselines",
        "list<mode:string,median_ms:float64>",
        "newest times of the task's reference on the device, by mode",
        FACT,
        gather=gathered.baselines,
    ),
    Column(
        "runs_disagree",
        "bool",
        "whether like runs there differ in outcome, or their intervals do not overlap",
        EVIDENCE,
        "runs_disagree",
    ),
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
    Column("cuda", "string", "version of CUDA that kernels are built with", EVIDENCE, "environment__toolkit"),
    Column("driver", "string", "version of the device's driver", EVIDENCE, "environment__driver"),
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
    Column(
        "findings",
        "list<code:string,severity:string,detail:string>",
        "what the checks of that run noticed, the gravest first",
        FACT,
        gather=gathered.findings,
    ),
    Column("claimed_speedup", "float64", "over eager, as the source claims", FACT, "claimed_speedup"),
    Column("claimed_correct", "bool", "as the source claims", FACT, "claimed_correct"),
    Column("claimed_device", "string", "as the source claims; empty: not stated", FACT, "claimed_device"),
    Column(
        "claims",
        "list<quantity:string,value:float64,over:string,device:string,on:string>",
        "everything that the source claims in numbers: speedups over each baseline, times, errors, operations",
        FACT,
        gather=gathered.claims,
    ),
    Column("twin", "string", "uuid of the kernel that it translates; null: none", FACT, "twin_id"),
    Column(
        "verdict",
        "string",
        "of its reviews, by the site's policy; contested: they disagree; empty: no review",
        FACT,
        "verdict",
    ),
    Column("votes", "int64", "reviewers with a standing vote", FACT, "votes"),
    Column("agreement", "float64", "share of the votes that agree with the verdict", FACT, "agreement"),
    Column(
        "notes",
        "list<text:string,start:int64,end:int64,label:string,resolved:bool,comment:string>",
        "spans that reviewers marked: characters from start up to, not including, end of program, trace or kernel; "
        "the note's own comment",
        FACT,
        gather=gathered.notes,
    ),
    Column(
        "preferences",
        "list<other:string,votes_for:int64,votes_against:int64,ties:int64>",
        "how reviewers chose between it and another sample of its task",
        FACT,
        gather=gathered.preferences,
    ),
    Column("tags", "list<string>", "as people tagged it", FACT, gather=gathered.tags),
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
    Column("problem", "int64", "the suite's number of the task; null: none", FACT, "task__problem"),
)


def of_origin(*origins: Origin) -> tuple[Column, ...]:
    return tuple(column for column in COLUMNS if column.origin in origins)


NAMES = tuple(column.name for column in COLUMNS)
FROZEN = of_origin(FACT, EVIDENCE)
GATHERED = tuple(column for column in FROZEN if column.gather)
# In one query with the evidence joined: outcome, speedup, device and the run behind them are of one row of evidence.
READ_TOGETHER = tuple(column for column in FROZEN if not column.gather)
FROZEN_LOOKUPS = (*(column.lookup for column in READ_TOGETHER), "task_id")  # some are gathered by task
OF_CONTENT = of_origin(CONTENT)
OF_EVIDENCE = of_origin(EVIDENCE)


def facts(values: Mapping[Any, Sequence[Any]]) -> dict[Any, dict[str, Any]]:
    """Return what a release freezes of samples; `values` are those of FROZEN_LOOKUPS by the sample's id."""
    read = {
        pk: {column.name: column.plain(value) for column, value in zip(READ_TOGETHER, row, strict=False)}
        | {"task_id": row[-1]}
        for pk, row in values.items()
    }
    if read:
        for column in GATHERED:  # a later column may be derived from an earlier one
            found = column.gather(read) if column.gather else {}
            for pk, row in read.items():
                row[column.name] = found.get(str(pk), column.nothing)
    for row in read.values():
        del row["task_id"]
    return read


def form_in_files(column: Column) -> Callable[[Any], Any] | None:
    """Return what a stored value goes through, if anything: databases give numbers and records back in other forms."""
    return str if column.origin is CONTENT else form_of(column.type)


FORMS = {column.name: form for column in COLUMNS if (form := form_in_files(column))}
MISSING = {column.name: column.missing for column in COLUMNS}
NEVER_NULL = [(name, value) for name, value in MISSING.items() if value is not None]


def file_row(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return every column in order, as files hold it; `values` are keyed by the columns' names."""
    row = {**MISSING, **values}
    for name, value in NEVER_NULL:
        if row[name] is None:
            row[name] = value
    for name, form in FORMS.items():
        if (value := row[name]) is not None:
            row[name] = form(value)
    return row if len(row) == len(MISSING) else {name: row[name] for name in MISSING}
