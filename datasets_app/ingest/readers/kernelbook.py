"""KernelBook: PyTorch modules from public repositories, each with the Triton program that Inductor made of it.

Its triton_code calls its class after the module, with New at the end. Where it has that class, the program is the
sample; otherwise the row yields its task only, and the text is kept in the task's extra columns.
"""

import re
from collections.abc import Mapping
from typing import Any

from datasets_app.ingest.kernelbench_form import from_kernelbook
from datasets_app.ingest.limits import EXTERNAL_ID_CHARS, LICENCE_CHARS, NAME_CHARS
from datasets_app.ingest.registry import Origin, Reader, leftover
from datasets_app.ingest.rows import Record, Row, RowError, SamplePart, TaskPart
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.values import GARBLING, label, program
from datasets_app.models.licence import joined
from datasets_app.syntax.program import rename_class

GENERATOR = "TorchInductor"


class KernelBookReader(Reader):
    name, title = "kernelbook", "KernelBook (JSON, JSONL, Parquet)"
    columns = ("python_code", "triton_code")
    program_field, kernel_field = "python_code", "triton_code"
    origin = Origin("KernelBook", "https://huggingface.co/datasets/GPUMODE/KernelBook", "MIT")
    order = 0

    def row(self, record: Record, file: SourceFile) -> Row:
        values = record.values
        entry = label(values, "entry_point", NAME_CHARS)
        sample = triton_sample(values, entry)
        used = ("python_code", "uuid", "licenses", *(("triton_code",) if sample else ()))
        task = TaskPart(
            program=brought_over(program(values, "python_code"), entry),
            name=label(values, "module_name", NAME_CHARS) or entry,
            suite="KernelBook",
            external_id=label(values, "uuid", EXTERNAL_ID_CHARS),
            licence=licence(values),
            extra=leftover(values, *used),
        )
        return Row(record, task, sample)


def triton_sample(values: Mapping[str, Any], entry: str) -> SamplePart | None:
    """Return the Triton program as a candidate, its class renamed; None if it has no class of the module's name."""
    text = values.get("triton_code")
    if not entry.isidentifier() or not isinstance(text, str):
        return None
    if not re.search(rf"^class {re.escape(entry)}New\b", text, re.MULTILINE):
        return None
    return SamplePart(
        kernel=rename_class(program(values, "triton_code"), f"{entry}New", "ModelNew"),
        generator=GENERATOR,
        language="triton",
        external_id=label(values, "uuid", EXTERNAL_ID_CHARS),
    )


def licence(values: Mapping[str, Any]) -> str:
    """Return the licences found in the program's repository: the data set's own licence covers only the collection."""
    stated = values.get("licenses") or []
    names = (
        [str(name).strip() for name in stated] if isinstance(stated, list | tuple) else [str(stated).strip()]
    )
    if any(GARBLING.search(name) for name in names) or len(joined(*names)) > LICENCE_CHARS:
        raise RowError("licenses", f"is no list of licences of at most {LICENCE_CHARS} characters", stated)
    return joined(*names)


def brought_over(text: str, entry: str) -> str:
    """Return the program in KernelBench's form. Raises RowError if it does not parse."""
    try:
        return from_kernelbook(text, entry)
    except SyntaxError as error:
        raise RowError("python_code", f"does not parse: {error.msg} in line {error.lineno}", text) from None
