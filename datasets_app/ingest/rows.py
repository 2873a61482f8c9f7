"""The items that readers yield: rows that can be stored, and refusals with line, field and reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from datasets_app.models.source_claim import SourceClaim
from datasets_app.syntax.program import NOT_ANALYSED, Analysis


class IngestError(Exception):
    """The file cannot be read, or not any further. The message is written for a person."""


class RowError(Exception):
    """This row cannot be stored; the rest of the file can."""

    def __init__(self, field: str, reason: str, value: object = "") -> None:
        super().__init__(reason)
        self.field = field
        self.reason = reason
        self.value = value


class TaskMissingError(RowError):
    """The row's task is not stored yet. The row is kept, and stored once its task is."""

    def __init__(self, field: str, reason: str, value: object, suite: str) -> None:
        super().__init__(field, reason, value)
        self.suite = suite


@dataclass(frozen=True)
class Record:
    """One row of a table as it is in the file."""

    line: int  # 1-based line (text) or row (Parquet, Arrow, folder)
    values: Mapping[str, Any]
    raw: str = ""  # the text of the line, if the file consists of lines of text; else made from the values when refused
    wanted_format: str = ""  # that the row of a corrected file names
    wanted_mapping: Mapping[str, str] = field(
        default_factory=dict
    )  # of its columns, where that format needs one


@dataclass(frozen=True)
class Refusal:
    """A row that cannot be stored: its line, the field, the reason, and the row itself for correction."""

    line: int
    field: str
    reason: str
    value: str = ""
    raw: str = ""
    wanted_format: str = ""
    awaits: str = ""  # the suite whose task is not stored yet; empty: the row itself must be corrected


@dataclass(frozen=True)
class LeftOut:
    """The value of an optional column that cannot be stored; its row is stored without it."""

    line: int
    column: str
    reason: str
    value: str = ""


@dataclass(frozen=True)
class TaskPart:
    """A reference program and its names in the source."""

    program: str
    name: str
    suite: str = ""
    level: int | None = None
    problem: int | None = None
    kind: str = ""  # empty: inferred from the program
    external_id: str = ""
    licence: str = ""  # empty: the source's
    extra: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[str, ...] = ()  # that its source has against it, by the codes of models.admission_codes
    # True: stored although its text defines no Model, as its source publishes none; its kernels cannot be verified.
    without_model: bool = False
    analysis: Analysis = NOT_ANALYSED  # of the program, once the row is checked


@dataclass(frozen=True)
class SamplePart:
    """A kernel program for the task, its trace, and the claims of its source."""

    kernel: str
    reasoning: str = ""
    generator: str = ""
    sampling: Mapping[str, Any] = field(default_factory=dict)
    language: str = ""  # empty: inferred from the program
    external_id: str = ""
    parent: str = ""  # a sample's id, or its external id within the same source
    turn: int = 0
    feedback: str = ""
    claimed_speedup: float | None = None
    claimed_correct: bool | None = None
    claimed_device: str = ""
    claims: tuple[SourceClaim, ...] = ()  # everything that the source claims in numbers
    twin: str = (
        ""  # the kernel that this one translates: a sample's id, or its external id within the same source
    )
    # False: the source publishes the kernel in a form that is no candidate, such as a whole .cu file or a listing.
    is_program: bool = True
    # True: a published claim is stored even if its text defines no ModelNew; the engine will report load_error.
    claim_stands_alone: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """One row of a source: a task, usually with one sample, rarely with further tasks."""

    record: Record
    task: TaskPart
    sample: SamplePart | None = None
    more_tasks: tuple[TaskPart, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    unused: tuple[str, ...] = ()  # columns that no field takes, if the reader reports them

    @property
    def tasks(self) -> tuple[TaskPart, ...]:
        return (self.task, *self.more_tasks)
