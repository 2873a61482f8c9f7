"""KernelBook: PyTorch modules from public repositories. Its triton_code is Inductor's output and defines no ModelNew,
so a row yields its task only; the Triton program is kept in its extra columns.
"""

from collections.abc import Mapping
from typing import Any

from datasets_app.ingest.kernelbench_form import from_kernelbook
from datasets_app.ingest.limits import EXTERNAL_ID_CHARS, LICENCE_CHARS, NAME_CHARS
from datasets_app.ingest.registry import Origin, Reader, leftover
from datasets_app.ingest.rows import Record, Row, RowError, TaskPart
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.values import GARBLING, label, program
from datasets_app.models.licence import joined


class KernelBookReader(Reader):
    name, title = "kernelbook", "KernelBook (JSON, JSONL, Parquet)"
    columns = ("python_code", "triton_code")
    program_field, kernel_field = "python_code", "triton_code"
    origin = Origin("KernelBook", "https://huggingface.co/datasets/GPUMODE/KernelBook", "MIT")
    order = 0

    def row(self, record: Record, file: SourceFile) -> Row:
        values = record.values
        entry = label(values, "entry_point", NAME_CHARS)
        task = TaskPart(
            program=brought_over(program(values, "python_code"), entry),
            name=label(values, "module_name", NAME_CHARS) or entry,
            suite="KernelBook",
            external_id=label(values, "uuid", EXTERNAL_ID_CHARS),
            licence=licence(values),
            extra=leftover(values, "python_code", "uuid", "licenses"),
        )
        return Row(record, task)


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
