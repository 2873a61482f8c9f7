"""Any table, with a mapping of its columns that a person chooses. It recognises no file by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from datasets_app.ingest.limits import NAME_CHARS
from datasets_app.ingest.readers.workbench import sample_part
from datasets_app.ingest.registry import NO, Reader, leftover
from datasets_app.ingest.rows import IngestError, Record, Refusal, Row, RowError, TaskPart
from datasets_app.ingest.source_file import Peek, SourceFile
from datasets_app.ingest.values import label, program

# Field to its meaning and to the column names that suggest it.
FIELDS = {
    "pytorch_code": (
        "PyTorch program",
        "pytorch_code ref_code reference python_code torch_code code_module module",
    ),
    "kernel_code": (
        "Kernel program",
        "kernel_code generated_code custom_code cuda_code code solution candidate",
    ),
    "reasoning": ("Reasoning trace", "reasoning generated_think think thought trace cot rationale"),
    "task_name": ("Task name", "task_name problem_name op_name entry_point title task problem"),
    "name": ("Sample's own id", "name uuid id sample_id kernel_name"),
    "generator": ("Generator", "generator model model_name author"),
    "sampling": ("Sampling parameters (JSON)", "sampling settings parameters"),
    "language": ("Language", "language lang backend"),
    "claimed_speedup": (
        "Claimed speedup over eager",
        "claimed_speedup speedup_over_eager torch_speedup speedup score",
    ),
    "claimed_correct": ("Claimed correct", "claimed_correct correct correctness passed"),
    "claimed_device": ("Claimed device", "claimed_device device gpu hardware"),
    "parent": ("Parent sample", "parent parent_id"),
    "turn": ("Turn", "turn"),
    "feedback": ("Feedback to the parent", "feedback"),
}


class GenericReader(Reader):
    """Without a column for the kernel, every row is a task alone."""

    name, title = "generic", "Another table: choose what its columns mean"

    def recognises(self, peek: Peek) -> int:
        return NO

    def read(self, file: SourceFile) -> Iterator[Row | Record | Refusal]:
        check_mapping(file.mapping)
        yield from super().read(file)

    def row(self, record: Record, file: SourceFile) -> Row:
        values = {field: record.values.get(column) for field, column in file.mapping.items()}
        try:
            return self.mapped(record, values, file)
        except RowError as error:
            error.field = file.mapping.get(error.field, error.field)
            raise

    def mapped(self, record: Record, values: Mapping[str, Any], file: SourceFile) -> Row:
        rest = leftover(record.values, *file.mapping.values())
        alone = "kernel_code" not in file.mapping
        name = label(values, "task_name", NAME_CHARS)
        task = TaskPart(program=program(values, "pytorch_code"), name=name, extra=rest if alone else {})
        return Row(record, task, None if alone else replace(sample_part(values, file), extra=rest))


def check_mapping(mapping: Mapping[str, str]) -> None:
    """Raise IngestError unless the mapping names known fields and includes the reference program."""
    if unknown := sorted(set(mapping) - set(FIELDS)):
        raise IngestError(
            f"The mapping names no field of ours: {', '.join(unknown)}. Fields: {', '.join(FIELDS)}."
        )
    if not mapping.get("pytorch_code"):
        raise IngestError("The mapping does not say which column holds the PyTorch program (pytorch_code).")


def suggest(columns: tuple[str, ...]) -> dict[str, str]:
    """Suggest a mapping from the names of the columns; each column is suggested at most once."""
    left = {plain(column): column for column in reversed(columns)}
    mapping = {}
    for field, (_, names) in FIELDS.items():
        match = next((name for name in names.split() if name in left), None)
        if match:
            mapping[field] = left.pop(match)
    return mapping


def plain(column: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_")
