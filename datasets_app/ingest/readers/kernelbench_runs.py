"""KernelBench's runs as its scripts leave them: one kernel a file, and what its evaluation said of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from datasets_app.ingest import archives
from datasets_app.ingest.kernelbench_evaluation import EAGER, Evaluation, is_time, read_beside
from datasets_app.ingest.limits import EXTERNAL_ID_CHARS, GENERATOR_CHARS, MAX_LEVEL, MAX_TEXT_BYTES
from datasets_app.ingest.readers.kernelbench import SUITE
from datasets_app.ingest.registry import LIKELY, NO, Reader, leftover, refuse
from datasets_app.ingest.rows import (
    IngestError,
    Record,
    Refusal,
    Row,
    RowError,
    SamplePart,
    TaskMissingError,
    TaskPart,
)
from datasets_app.ingest.source_file import ARCHIVES, Peek, SourceFile
from datasets_app.ingest.values import flag, label, mapping, needed, program
from datasets_app.models import Task

KERNEL_PATH = re.compile(r"(?:^|/)(?:level_(\d{1,4})_)?problem_(\d{1,9})(?:_sample_(\d{1,9}))?_kernel\.py$")
SETTINGS = (
    "temperature", "top_p", "top_k", "max_tokens", "reasoning_effort", "server_type", "prompt_option", "backend",
    "precision", "gpu_arch",
)  # fmt: skip
NO_LEVEL = (
    "is in neither the file's name nor generation_config.yaml: name the file "
    "level_1_problem_{problem}_sample_0_kernel.py"
)
MANY_LEVELS = "not used: its keys name no level, and this run has kernels of several"
USED = ("level", "problem_id", "sample_id", "kernel_code", "model", "sampling", "correct", "hardware")


class KernelBenchRunsReader(Reader):
    """Looks tasks up by level and problem among KernelBench's; a kernel whose task is missing waits for it.

    A kernel goes in even where its text is no program: a run is judged by all that it wrote.
    """

    name, title = "kernelbench-runs", "KernelBench runs (folder, .zip, .tar)"
    columns = ("run", "level", "problem_id", "sample_id", "kernel_code")
    program_field, kernel_field = "problem_id", "kernel_code"

    def recognises(self, peek: Peek) -> int:
        if peek.kind in ARCHIVES:
            return LIKELY if any(map(KERNEL_PATH.search, peek.paths)) else NO
        return super().recognises(peek)

    def look_up(self) -> dict[str, list[Task]]:
        """Return KernelBench's tasks by their external ids."""
        by_id: dict[str, list[Task]] = {}
        for task in Task.objects.filter(suite=SUITE).select_related("body", "source"):
            by_id.setdefault(task.external_id, []).append(task)
        return by_id

    def read(self, file: SourceFile) -> Iterator[Row | Record | Refusal]:
        if file.kind() not in ARCHIVES:
            yield from super().read(file)
            return
        evaluation, levels = read_beside(file), levels_by_folder(archives.paths(file))
        number = 0
        for path, content in archives.members(file, KERNEL_PATH, MAX_TEXT_BYTES + 1):
            number += 1
            yield self.kernel_row(number, path, content, evaluation, levels, file)
        if not number:
            raise IngestError("There is no kernel of a run, such as level_1_problem_1_sample_0_kernel.py.")

    def kernel_row(
        self, line: int, path: str, content: bytes, evaluation: Evaluation, levels: dict[str, set[int]],
        file: SourceFile,
    ) -> Row | Record | Refusal:  # fmt: skip
        values = values_of(path, evaluation, levels)
        record = Record(line, {**values, "kernel_code": content.decode(errors="backslashreplace")})
        try:
            content.decode()
        except UnicodeDecodeError as error:
            return refuse(record, RowError("kernel_code", f"is not UTF-8 at byte {error.start + 1}"))
        return self.row_or_refusal(record, file)

    def row(self, record: Record, file: SourceFile) -> Row:
        values = record.values
        if values.get("level") is None:
            raise RowError("level", NO_LEVEL.format(problem=values.get("problem_id")))
        level, problem = needed(values, "level", 0, MAX_LEVEL), needed(values, "problem_id")
        task = only_task(file.stored, level, problem)
        part = TaskPart(
            task.body.pytorch_code, task.name, SUITE, level, problem, external_id=task.external_id
        )
        return Row(record, part, self.sample(values, level, problem, file))

    def sample(self, values: Mapping[str, Any], level: int, problem: int, file: SourceFile) -> SamplePart:
        run = label(values, "run", GENERATOR_CHARS)
        eager_ms = mapping(values, "baselines_ms").get(EAGER)
        runtime_ms = values.get("runtime_ms")
        number = needed(values, "sample_id")
        return SamplePart(
            kernel=program(values, "kernel_code"),
            generator=label(values, "model", GENERATOR_CHARS) or run,
            sampling=mapping(values, "sampling"),
            external_id=f"level{level}/problem{problem}/sample{number}/{run}"[:EXTERNAL_ID_CHARS],
            claimed_speedup=eager_ms / runtime_ms if is_time(eager_ms) and is_time(runtime_ms) else None,
            claimed_correct=flag(values, "correct"),
            claimed_device=label(values, "hardware", GENERATOR_CHARS) or file.device,
            claim_stands_alone=True,
            extra=leftover(values, *USED),
        )


def levels_by_folder(paths: list[str]) -> dict[str, set[int]]:
    """Return the levels that the names of each folder's kernels give."""
    levels: dict[str, set[int]] = {}
    for path in paths:
        match = KERNEL_PATH.search(path)
        if match and match[1]:
            levels.setdefault(path.rpartition("/")[0], set()).add(int(match[1]))
    return levels


def values_of(path: str, evaluation: Evaluation, levels: dict[str, set[int]]) -> dict[str, Any]:
    """Return a kernel's row without its text: the form in which a refused one can be corrected."""
    level, problem, sample = KERNEL_PATH.search(path).groups()  # type: ignore[union-attr]
    folder = path.rpartition("/")[0]
    settings = evaluation.settings.get(folder, {})
    values: dict[str, Any] = {
        "run": folder.rpartition("/")[2] or "run",
        "level": int(level) if level else settings.get("level"),
        "problem_id": int(problem),
        "sample_id": int(sample or 0),
        "path": path,
        "model": settings.get("model_name", ""),
        "sampling": {name: settings[name] for name in SETTINGS if name in settings},
    }
    if len(levels.get(folder, ())) > 1:
        return values | ({"eval_results": MANY_LEVELS} if folder in evaluation.results else {})
    return values | claims(values, evaluation.result(folder, int(problem), int(sample or 0)), evaluation)


def claims(values: dict[str, Any], result: dict[str, Any], evaluation: Evaluation) -> dict[str, Any]:
    """Return what the evaluation said: nothing where it never came to a kernel."""
    if not result:
        return {}
    metadata = result.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    hardware = str(metadata.get("hardware") or "")
    runtime_ms = result.get("runtime")
    found = {
        "compiled": result.get("compiled"),
        "correct": bool(result.get("compiled")) and bool(result.get("correctness")),
        "hardware": hardware,
        "runtime_ms": runtime_ms if is_time(runtime_ms) else None,
        "runtime_stats": result.get("runtime_stats"),
        "metadata": metadata,
    }
    if isinstance(values["level"], int):
        found["baselines_ms"] = evaluation.baselines_ms(values["level"], values["problem_id"], hardware)
    return {name: value for name, value in found.items() if value not in (None, {}, "")}


def only_task(stored: dict[str, list[Task]], level: int, problem: int) -> Task:
    """Return KernelBench's task of this number. Raises RowError if there is none, or more than one.

    Other sources number tasks of their own by KernelBench's levels; those that its own files brought go before them.
    """
    name = f"level{level}/{problem}"
    tasks = stored.get(name, [])
    own = [task for task in tasks if task.source.name == SUITE]
    if len(own or tasks) == 1:
        return (own or tasks)[0]
    if tasks:
        raise RowError(
            "problem_id", f"{name} is stored in {len(own or tasks)} versions, so the row's is unclear", name
        )
    raise TaskMissingError(
        "problem_id", f"{name} is not stored: ingest KernelBench's tasks, and the row goes in", name, SUITE
    )
