"""Any table, with a mapping of its columns that a person chooses. It recognises no file by itself.

It also takes tables without a PyTorch program, whose kernels can be read and compared but not verified: submissions to
a leaderboard, CUDA kernels beside their translation to HIP, schedules of machine code.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from datasets_app.ingest.limits import EXTERNAL_ID_CHARS, NAME_CHARS, PEEK_BYTES
from datasets_app.ingest.no_program import task_without_program
from datasets_app.ingest.readers.workbench import OPTIONAL, sample_part
from datasets_app.ingest.registry import NO, Reader, leftover, refuse
from datasets_app.ingest.rows import IngestError, Record, Refusal, Row, RowError, SamplePart, TaskPart
from datasets_app.ingest.source_file import Peek, SourceFile
from datasets_app.ingest.synonyms import plain
from datasets_app.ingest.values import is_finite, label, number, program
from datasets_app.models.source_claim import Quantity, SourceClaim
from datasets_app.syntax.languages import detect_language

# Field to its meaning and to the column names that suggest it.
FIELDS = {
    "pytorch_code": (
        "PyTorch program",
        "pytorch_code ref_code ref_src ref_arch_src reference reference_code python_code torch_code pytorch "
        "code_module module",
    ),
    "kernel_code": (
        "Kernel program",
        "kernel_code generated_code custom_code cuda_code kernel_src kernel code solution candidate",
    ),
    "reasoning": ("Reasoning trace", "reasoning generated_think think thought trace cot rationale"),
    "task_name": ("Task name", "task_name problem_name op_name entry_point title task problem"),
    "name": ("Sample's own id", "name uuid id sample_id kernel_name"),
    "generator": ("Generator", "generator model model_name model_id author"),
    "sampling": ("Sampling parameters (JSON)", "sampling settings parameters"),
    "language": ("Language", "language lang backend"),
    "claimed_speedup": (
        "Claimed speedup over eager",
        "claimed_speedup speedup_over_eager torch_speedup speedup speed_up score",
    ),
    "claimed_correct": ("Claimed correct", "claimed_correct correct correctness passed"),
    "claimed_device": ("Claimed device", "claimed_device device gpu hardware"),
    "claimed_time_ms": ("Claimed time (milliseconds)", "claimed_time_ms runtime_ms time_ms latency_ms"),
    "claimed_time_s": ("Claimed time (seconds)", "claimed_time_s runtime_s time_s"),
    "single_flops": ("Operations in single precision", "single_flops sp_flop sp_flops"),
    "double_flops": ("Operations in double precision", "double_flops dp_flop dp_flops"),
    "twin_code": ("The same kernel in another language", "twin_code hip_code hip hip_source"),
    "twin": ("The kernel that this one translates (its own id)", "twin twin_id"),
    "parent": ("Parent sample", "parent parent_id"),
    "turn": ("Turn", "turn"),
    "feedback": ("Feedback to the parent", "feedback"),
}


FIXED_COLUMNS = ("csv", "parquet", "arrow-stream", "arrow-file")
CLAIMED = {  # quantity, and the factor to its unit
    "claimed_time_ms": (Quantity.TIME, 1.0),
    "claimed_time_s": (Quantity.TIME, 1000.0),
    "single_flops": (Quantity.SINGLE_FLOPS, 1.0),
    "double_flops": (Quantity.DOUBLE_FLOPS, 1.0),
}


class GenericReader(Reader):
    """Without a column for the kernel, every row is a task alone; with one for its twin, a row has two samples."""

    name, title = "generic", "Another table: choose what its columns mean"
    reports_unused = True

    def recognises(self, peek: Peek) -> int:
        return NO

    def lacks_columns(self, mapping: Mapping[str, str]) -> bool:
        return not mapping.get("pytorch_code") and not mapping.get("kernel_code")

    def read(self, file: SourceFile) -> Iterator[Row | Record | Refusal]:
        check_mapping(file.mapping)
        check_columns(file)
        for item in super().read(file):
            yield item
            if isinstance(item, Row) and item.sample and "twin_code" in file.mapping:
                yield from self.twin(item, item.sample, file)

    def optional_columns(self, file: SourceFile) -> Collection[str]:
        return [column for field, column in file.mapping.items() if field in (*OPTIONAL, *CLAIMED)]

    def row(self, record: Record, file: SourceFile) -> Row:
        values = mapped_values(record, file)
        try:
            return self.mapped(record, values, file)
        except RowError as error:
            error.field = file.mapping.get(error.field, error.field)
            raise

    def mapped(self, record: Record, values: Mapping[str, Any], file: SourceFile) -> Row:
        rest = leftover(record.values, *file.mapping.values())
        if "kernel_code" not in file.mapping:
            name = label(values, "task_name", NAME_CHARS)
            return Row(record, TaskPart(program=program(values, "pytorch_code"), name=name, extra=rest))
        sample = sample_part(values, file)
        sample = replace(sample, extra=rest, claims=tuple(claims(values, sample.claimed_device)))
        if "pytorch_code" in file.mapping:
            name = label(values, "task_name", NAME_CHARS)
            return Row(record, TaskPart(program=program(values, "pytorch_code"), name=name), sample)
        name = label(values, "task_name", NAME_CHARS) if "task_name" in file.mapping else sample.external_id
        task = task_without_program(file.source_name or "This source", name or f"row {record.line}")
        return Row(record, task, replace(sample, is_program=False))

    def twin(self, row: Row, sample: SamplePart, file: SourceFile) -> Iterator[Row | Refusal]:
        """Yield the row's second sample, which names the first; nothing if the row has no text for it."""
        values = mapped_values(row.record, file)
        if values.get("twin_code") in (None, ""):
            return
        try:
            code = program(values, "twin_code")
        except RowError as error:
            error.field = file.mapping["twin_code"]
            yield refuse(row.record, error)
            return
        language = detect_language(code)
        name = f"{sample.external_id}/{language}"[-EXTERNAL_ID_CHARS:]
        twin = SamplePart(
            kernel=code,
            generator=sample.generator,
            language=language,
            external_id=name,
            twin=sample.external_id,
            is_program=sample.is_program,
        )
        yield self.checked_row(Row(row.record, row.task, twin), {"kernel_code": file.mapping["twin_code"]})


def mapped_values(record: Record, file: SourceFile) -> dict[str, Any]:
    """Return the row's values by our fields. A row with a twin gets a name by which the twin finds it, of which a
    source has one."""
    values = {field: record.values.get(column) for field, column in file.mapping.items()}
    if "twin_code" in file.mapping and values.get("name") in (None, ""):
        values["name"] = f"{file.name}, row {record.line}"[-EXTERNAL_ID_CHARS:]
    return values


def claims(values: Mapping[str, Any], device: str) -> Iterator[SourceClaim]:
    for field, (quantity, factor) in CLAIMED.items():
        value = number(values, field)
        if value is not None and value >= 0 and is_finite(claimed := value * factor):
            yield SourceClaim(quantity, claimed, "", device)


def check_mapping(mapping: Mapping[str, str]) -> None:
    """Raise IngestError unless the mapping names known fields alone."""
    if unknown := sorted(set(mapping) - set(FIELDS)):
        raise IngestError(
            f"The mapping names unknown fields: {', '.join(unknown)}. Fields: {', '.join(FIELDS)}."
        )


def check_columns(file: SourceFile) -> None:
    """Raise IngestError if a table with fixed columns lacks one of the mapping. An object of JSON may lack any."""
    if file.kind() not in FIXED_COLUMNS:
        return
    records = (record for record in file.records(PEEK_BYTES) if isinstance(record, Record))
    first = next((record.values for record in records), None)
    if first is not None and (missing := sorted(set(file.mapping.values()) - set(first))):
        names = ", ".join(map(str, first))[:1500]
        raise IngestError(f"The file has no column {' and no column '.join(missing)}. Its columns: {names}.")


def suggest(columns: tuple[str, ...]) -> dict[str, str]:
    """Suggest a mapping from the names of the columns; each column is suggested at most once."""
    left = {plain(column): column for column in reversed(columns)}
    mapping = {}
    for field, (_, names) in FIELDS.items():
        match = next((name for name in names.split() if name in left), None)
        if match:
            mapping[field] = left.pop(match)
    return mapping
