"""What the formats for trainers share that learn from more than single answers: lines of JSON, and rows by task."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from datasets_app.export.columns import Column, Origin
from datasets_app.export.formats.base import Rows
from datasets_app.export.formats.jsonl import JsonLines
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.types import MESSAGES, Described


def column(name: str, means: str, type: str = "string") -> Described:
    return Column(name, type, means, Origin.ROW)


PROMPT = column("prompt", "the question, from the template", MESSAGES)
TASK = column("task_id", "of the task")


class Judged(JsonLines):
    columns: Sequence[Described]

    def fields(self, options: Options = DEFAULT) -> Sequence[Described]:
        return self.columns


def of_tasks(rows: Rows) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield each task's id with its rows, which are consecutive."""
    for task, group in groupby(rows, key=lambda row: row["task_id"]):
        yield task, list(group)
