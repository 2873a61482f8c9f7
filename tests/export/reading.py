"""Reads the files of each format back, as their readers would; and rows to write."""

import csv
import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from django.conf import settings

from datasets_app.export.columns import COLUMNS, file_row
from datasets_app.export.formats import FORMATS
from datasets_app.export.options import parse
from datasets_app.export.types import is_list

ID, TASK = "5f0c9f5e-96d3-5a4e-8a9a-6f1d2b3c4d5e", "0b1c2d3e-4f50-5162-8374-8596a7b8c9da"


def row(**values: Any) -> dict[str, Any]:
    """Return a row with every column; those that are not given are empty."""
    texts = {
        "pytorch_code": "class Model: ...",
        "generated_think": "I think.",
        "generated_code": "class ModelNew: ...",
    }
    lists = {column.name: [] for column in COLUMNS if is_list(column.type)}
    return file_row({"uuid": ID, "id": ID, "task_id": TASK, "language": "cuda", **lists, **texts, **values})


def written(format: str, rows: list[dict[str, Any]], **chosen: Any) -> bytes:
    made, stream = FORMATS[format], io.BytesIO()
    options = parse(made.takes, chosen)
    writer = made.open(stream, options)
    for record in made.records(iter(rows), options):
        writer.write(record)
    writer.close()
    return stream.getvalue()


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.decode().split("\n")[:-1]]


def parquet(data: bytes) -> list[dict[str, Any]]:
    return pq.read_table(io.BytesIO(data)).to_pylist()


def arrow(data: bytes) -> list[dict[str, Any]]:
    return pa.ipc.open_stream(data).read_all().to_pylist()


def spreadsheet(data: bytes) -> list[dict[str, str]]:
    """Return the cells as a spreadsheet takes them."""
    names, *cells = csv.reader(io.StringIO(data.decode(), newline=""), strict=True)
    return [dict(zip(names, values, strict=True)) for values in cells]


def table(data: bytes) -> list[dict[str, Any]]:
    """Return the rows of a CSV file with the types of their columns."""
    given = pa.csv.read_csv(
        io.BytesIO(data),
        parse_options=pa.csv.ParseOptions(newlines_in_values=True),
        convert_options=pa.csv.ConvertOptions(
            column_types={column.name: pa.string() for column in COLUMNS},
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            null_values=[""],
        ),
    ).to_pylist()
    types = {column.name: column.type for column in COLUMNS}
    return [{name: typed(types[name], text) for name, text in cells.items()} for cells in given]


def typed(type: str, text: str | None) -> Any:
    if text is None:
        return None
    if type == "string":
        return text.removeprefix("'")
    return json.loads(text)


def texts_of(answer: str) -> tuple[str, str]:
    """Return the trace and the kernel of an answer: the last line is a fence that is longer than any inside."""
    marks = answer.rpartition("\n")[2]
    before, _, rest = answer.partition(f"{marks}python\n")
    return before.removeprefix("<think>\n").removesuffix("\n</think>\n"), rest.removesuffix(f"\n{marks}")


def program_of(prompt: str) -> str:
    marks = prompt.rpartition("\n")[2]
    return prompt.partition(f"{marks}python\n")[2].removesuffix(f"\n{marks}")


def folder(release):
    """Return where the release's files are, in the store of the tests."""
    return settings.EXPORT_DIR / release.name
