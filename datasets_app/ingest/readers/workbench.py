"""The Workbench's own columns, used by the demo pack, and for samples of one's own."""

from collections.abc import Mapping
from typing import Any

from datasets_app.ingest.limits import (
    DEVICE_CHARS,
    EXTERNAL_ID_CHARS,
    GENERATOR_CHARS,
    MAX_LEVEL,
    MAX_TURN,
    NAME_CHARS,
    SUITE_CHARS,
)
from datasets_app.ingest.registry import Reader, leftover
from datasets_app.ingest.rows import Record, Row, RowError, SamplePart, TaskPart
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.values import flag, label, mapping, program, required, speedup, text, trace, whole
from datasets_app.models import Language, TaskKind

USED = (
    *("task_name", "pytorch_code", "reasoning", "kernel_code", "generator", "sampling", "language", "name"),
    *("claimed_speedup", "claimed_correct", "claimed_device", "parent", "turn", "feedback", "twin"),
    *("suite", "level", "problem"),
)
# What describes a row. Programs and trace are the sample itself, and the others say which samples belong together.
OPTIONAL = (
    *("task_name", "suite", "level", "problem", "generator", "sampling", "language"),
    *("claimed_speedup", "claimed_correct", "claimed_device"),
)
USED_WITH_KIND = (*USED, "kind")
KINDS, LANGUAGES = frozenset(TaskKind.values), tuple(Language.values)


class WorkbenchReader(Reader):
    """`kernel_code: null` means that the row is a task alone; a row without that column is a mistake."""

    name, title = "workbench", "ConCuR Workbench (JSONL, Parquet, CSV)"
    columns = ("pytorch_code", "kernel_code")
    optional, takes_synonyms_of, reports_unused = OPTIONAL, USED, True

    def row(self, record: Record, file: SourceFile) -> Row:
        values = record.values
        alone = "kernel_code" in values and values["kernel_code"] is None
        return Row(record, task_part(values, alone), None if alone else sample_part(values, file))


def task_part(values: Mapping[str, Any], alone: bool) -> TaskPart:
    """Return the task; a kind that is not one of ours is kept in the extra columns."""
    return TaskPart(
        program=program(values, "pytorch_code"),
        name=label(values, "task_name", NAME_CHARS),
        suite=label(values, "suite", SUITE_CHARS),
        level=whole(values, "level", 0, MAX_LEVEL),
        problem=whole(values, "problem"),
        kind=values["kind"] if has_kind(values) else "",
        extra=leftover(values, *used(values)) if alone else {},
    )


def used(values: Mapping[str, Any]) -> tuple[str, ...]:
    return USED_WITH_KIND if has_kind(values) else USED


def has_kind(values: Mapping[str, Any]) -> bool:
    return isinstance(kind := values.get("kind"), str) and kind in KINDS


def sample_part(values: Mapping[str, Any], file: SourceFile) -> SamplePart:
    return SamplePart(
        kernel=program(values, "kernel_code"),
        reasoning=trace(values, "reasoning"),
        generator=label(values, "generator", GENERATOR_CHARS),
        sampling=mapping(values, "sampling"),
        language=language(values),
        external_id=label(values, "name", EXTERNAL_ID_CHARS),
        parent=label(values, "parent", EXTERNAL_ID_CHARS),
        twin=label(values, "twin", EXTERNAL_ID_CHARS),
        turn=whole(values, "turn", 0, MAX_TURN) or 0,
        feedback=text(values, "feedback"),
        claimed_speedup=speedup(values, "claimed_speedup"),
        claimed_correct=flag(values, "claimed_correct"),
        claimed_device=label(values, "claimed_device", DEVICE_CHARS) or file.device[:DEVICE_CHARS],
        extra=leftover(values, *used(values)),
    )


def language(values: Mapping[str, Any]) -> str:
    """Return the language that the row states, or '' if it has to be detected from the program."""
    if values.get("language") in (None, "", "auto"):
        return ""
    stated = required(values, "language").strip().lower()
    if stated not in LANGUAGES:
        raise RowError("language", f"is none of {', '.join(LANGUAGES)}", stated)
    return stated
