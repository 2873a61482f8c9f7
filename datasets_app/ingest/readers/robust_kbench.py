"""robust-kbench's results: one bare .cu per row, for a task of its tasks file."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from datasets_app.ingest.limits import EXTERNAL_ID_CHARS, NAME_CHARS
from datasets_app.ingest.pybind import backward_candidate, forward_candidate
from datasets_app.ingest.readers.robust_kbench_tasks import ORIGIN, SUITE, number
from datasets_app.ingest.registry import Reader, leftover
from datasets_app.ingest.rows import Record, Row, RowError, SamplePart, TaskMissingError, TaskPart
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.values import extra, flag, label, program, required, speedup, trace
from datasets_app.ingest.values import number as number_in
from datasets_app.models import Task
from datasets_app.models.source_claim import EAGER, Quantity, SourceClaim

# What the source measured: column, quantity, baseline.
MEASURED = (
    ("Speedup", Quantity.SPEEDUP, EAGER),
    ("Speedup Compile", Quantity.SPEEDUP, "torch.compile"),
    ("Runtime (ms)", Quantity.TIME, ""),
    ("Max Diff", Quantity.ABSOLUTE_ERROR, ""),
)
USED = ("Correct", "Speedup", "Thought", "Code", "Settings", "task_name", "forward", "Kernel Name")


class RobustKbenchReader(Reader):
    """Looks tasks up by task_name and direction among those stored; a row whose task is missing waits for it."""

    name, title = "robust-kbench", "robust-kbench results (CSV)"
    columns = ("task_name", "forward", "Code", "Speedup", "Kernel Name")
    program_field, kernel_field = "task_name", "Code"
    origin = ORIGIN

    def look_up(self) -> dict[str, list[Task]]:
        """Return the suite's tasks by their external ids."""
        by_id: dict[str, list[Task]] = {}
        for task in Task.objects.filter(suite=SUITE).with_body():
            by_id.setdefault(task.external_id, []).append(task)
        return by_id

    def row(self, record: Record, file: SourceFile) -> Row:
        values = record.values
        forward = flag(values, "forward")
        if forward is None:
            raise RowError("forward", "is missing: it says whether the kernel is of the forward pass")
        task = only_task(file.stored, required(values, "task_name").strip(), forward)
        part = TaskPart(task.body.pytorch_code, task.name, SUITE, external_id=task.external_id)
        return Row(record, part, self.sample(values, task, forward, file))

    def sample(self, values: Mapping[str, Any], task: Task, forward: bool, file: SourceFile) -> SamplePart:
        candidate = forward_candidate if forward else backward_candidate
        claimed = claims(values, file.device)
        return SamplePart(
            kernel=candidate(task.body.pytorch_code, program(values, "Code"), "Code"),
            reasoning=trace(values, "Thought"),
            sampling=settings(values),
            language="cuda",
            external_id=label(values, "Kernel Name", NAME_CHARS)[:EXTERNAL_ID_CHARS],
            claimed_speedup=speedup(values, "Speedup"),
            claimed_correct=flag(values, "Correct"),
            claimed_device=file.device,
            claims=tuple(claimed.values()),
            extra=leftover(values, *USED, *claimed),
        )


def claims(values: Mapping[str, Any], device: str) -> dict[str, SourceClaim]:
    """Return what the source measured by its columns; what is no measurement stays among the row's other columns."""
    found = {}
    for column, quantity, baseline in MEASURED:
        value, may_be_zero = measured(values, column), quantity == Quantity.ABSOLUTE_ERROR
        if value is not None and (value > 0 or (value == 0 and may_be_zero)):
            found[column] = SourceClaim(quantity, value, baseline, device)
    return found


def measured(values: Mapping[str, Any], column: str) -> float | None:
    try:
        return number_in(values, column)
    except RowError:
        return None


def only_task(stored: dict[str, list[Task]], name: str, forward: bool) -> Task:
    """Return the suite's task. Raises RowError if its tasks file was not read, or was read in two versions."""
    tasks = stored.get(number(name, forward), [])
    if len(tasks) == 1:
        return tasks[0]
    side = "forward" if forward else "backward"
    if tasks:
        raise RowError(
            "task_name",
            f"{name} ({side}) is stored in two versions, so the row's is unclear",
            name,
        )
    raise TaskMissingError(
        "task_name",
        f"{name} ({side}) is not stored: ingest the tasks file (robust_kbench_tasks.jsonl), and the row goes in",
        name,
        SUITE,
    )


def settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sampling parameters, which are the text of a Python dictionary."""
    written = values.get("Settings") or "{}"
    try:
        parsed = ast.literal_eval(written) if isinstance(written, str) else written
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise RowError("Settings", "is not a dictionary", written) from None
    if not isinstance(parsed, dict):
        raise RowError("Settings", "is not a dictionary", written)
    return extra(parsed)
