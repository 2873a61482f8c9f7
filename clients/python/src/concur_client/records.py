"""What the site answers, as frozen dataclasses. Fields that this version does not know are kept in `more`."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from concur_client.errors import UnexpectedAnswerError


@dataclass(frozen=True, kw_only=True)
class Record:
    more: Mapping[str, Any] = field(default_factory=dict, repr=False)  # what else the site sent

    @classmethod
    def read(cls, data: object) -> Self:
        """Return the record of a JSON object. Raises UnexpectedAnswerError, which names the field."""
        return record_of(cls, data, cls.__name__)


@dataclass(frozen=True, kw_only=True)
class SampleRow(Record):
    """A sample in a list."""

    id: str
    task: str
    task_name: str
    source: str
    generator: str
    language: str
    trace_tokens: int | None  # None: no trace
    claimed_speedup: float | None
    outcome: str  # of the headline evidence; empty: never verified
    measured_speedup: float | None
    device: str
    verdict: str | None  # empty: no review; None: hidden in blind review
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class Sample(SampleRow):
    """One sample with its texts."""

    pytorch_code: str
    reasoning: str
    kernel_code: str
    feedback: str
    parent: str | None
    turn: int
    licence: str
    tags: tuple[str, ...]
    evidence: tuple[Mapping[str, Any], ...]  # one per device, the headline first
    verifications: tuple[Mapping[str, Any], ...]  # newest first


@dataclass(frozen=True, kw_only=True)
class Publication(Record):
    visibility: str  # public, token or private
    yanked_at: datetime | None
    yank_reason: str
    superseded_by: str | None  # the name of a release


@dataclass(frozen=True, kw_only=True)
class ReleaseSummary(Record):
    """A release in a list."""

    name: str
    title: str
    hub_id: str
    state: str
    error: str
    recipe_name: str
    rows: int
    tasks: int
    splits: Mapping[str, int]  # rows per split
    content_sha256: str
    created_at: datetime
    finished_at: datetime | None
    publication: Publication


@dataclass(frozen=True, kw_only=True)
class ReleaseFile(Record):
    path: str  # inside the release, such as data/train-00000-of-00001.parquet
    format: str
    split: str  # empty: it holds no rows
    state: str  # done, or why it cannot be downloaded
    rows: int
    size_bytes: int
    sha256: str
    error: str


@dataclass(frozen=True, kw_only=True)
class Release(ReleaseSummary):
    """One release with its files. Counts, funnel, definition and versions are in `more`."""

    notes: str
    files: tuple[ReleaseFile, ...]


@dataclass(frozen=True, kw_only=True)
class Ingest(Record):
    """An uploaded file and what became of its rows."""

    id: str
    file_name: str
    state: str  # queued, running, done, failed or cancelled
    error: str
    format: str
    source: str
    licence: str
    progress: float  # fraction of the file that has been read
    rows: int
    tasks: int  # new ones
    samples: int  # new ones
    duplicates: int
    refused: int


@dataclass(frozen=True)
class Downloaded:
    """A file of a release that is complete on this machine, its SHA-256 compared with the site's."""

    file: ReleaseFile
    path: Path
    fetched_bytes: int  # by this call; 0: it was complete already


R = typing.TypeVar("R", bound=Record)
HINTS: dict[type[Record], dict[str, Any]] = {}


def hints_of(kind: type[Record]) -> dict[str, Any]:
    """Return the types of a record's fields, those of `more` left out."""
    if kind not in HINTS:
        hints = typing.get_type_hints(kind)
        HINTS[kind] = {one.name: hints[one.name] for one in fields(kind) if one.name != "more"}
    return HINTS[kind]


def record_of(kind: type[R], data: object, where: str) -> R:
    if not isinstance(data, dict):
        raise unexpected(where, "an object", data)
    hints = hints_of(kind)
    for name in hints:
        if name not in data:
            raise UnexpectedAnswerError(
                f"The site's answer has no {where}.{name}. Is this the address of the site, and is the client as new "
                "as the site?"
            )
    known = {name: value_of(hint, data[name], f"{where}.{name}") for name, hint in hints.items()}
    return kind(**known, more={name: value for name, value in data.items() if name not in hints})


def value_of(hint: Any, value: object, where: str) -> Any:
    """Return the value as its annotation says. Raises UnexpectedAnswerError."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if origin is types.UnionType:  # X | None
        return None if value is None else value_of(inner[0], value, where)
    if origin is tuple and isinstance(value, list):
        return tuple(value_of(inner[0], one, f"{where}[{number}]") for number, one in enumerate(value))
    if origin is Mapping and isinstance(value, dict):
        return {name: value_of(inner[1], one, f"{where}.{name}") for name, one in value.items()}
    if isinstance(hint, type) and issubclass(hint, Record):
        return record_of(hint, value, where)
    if hint is datetime and isinstance(value, str):
        return moment_of(value, where)
    if hint is float and type(value) is int:
        return float(value)
    if origin is None and type(value) is hint:
        return value
    raise unexpected(where, getattr(hint, "__name__", str(hint)), value)


def moment_of(text: str, where: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise unexpected(where, "a moment", text) from None


def unexpected(where: str, wanted: str, value: object) -> UnexpectedAnswerError:
    return UnexpectedAnswerError(f"The site's answer has {where} = {value!r:.80}, which is not {wanted}.")
