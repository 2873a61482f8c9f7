"""CUDA-L1's results: reference and optimised program by KernelBench's level and number, with five claimed speedups."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from datasets_app.ingest.limits import MAX_LEVEL
from datasets_app.ingest.readers.kernelbench import SUITE
from datasets_app.ingest.registry import Origin, Reader, leftover
from datasets_app.ingest.rows import Record, Row, SamplePart, TaskPart
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.values import needed, program, speedup
from datasets_app.models import Task
from datasets_app.models.source_claim import EAGER, Quantity, SourceClaim

DEVICE_IN_NAME = re.compile(
    r"(?<![a-z0-9])(a100|h100|h200|h800|h20|l40s?|rtx_?3090|rtx_?4090)(?![a-z0-9])", re.I
)
# The baselines of the claimed speedups, by column.
BASELINES = {
    "score_default": EAGER,
    "score_torch_compile_default": "torch.compile",
    "score_torch_compile_reduce_overhead": "torch.compile, reduce-overhead",
    "score_cuda_graph": "CUDA graph",
    "score_cudnn": "cuDNN",
}
USED = ("level_id", "task_id", "ref_code", "custom_code", *BASELINES)


class CudaL1Reader(Reader):
    """`custom_code: null` says that no kernel was found: the row is a task alone.

    Its reference programs differ in sizes from those of KernelBench's later versions, so they are other tasks;
    they carry KernelBench's number and, where one is stored under that number, its name. A row with a score goes
    in even where its text is no program (some hold the word None): the claim is what this site tests.
    """

    name, title = "cuda-l1", "CUDA-L1 results (JSONL)"
    columns: ClassVar[tuple[str, ...]] = ("level_id", "task_id", "ref_code", "custom_code")
    program_field, kernel_field = "ref_code", "custom_code"
    origin = Origin("CUDA-L1", "https://github.com/deepreinforce-ai/CUDA-L1", "MIT")

    def look_up(self) -> dict[tuple[int, int], str]:
        return stored_names()

    def row(self, record: Record, file: SourceFile) -> Row:
        values = record.values
        alone = "custom_code" in values and values["custom_code"] is None
        level, problem = needed(values, "level_id", 0, MAX_LEVEL), needed(values, "task_id")
        task = TaskPart(
            program=program(values, "ref_code"),
            name=file.stored.get((level, problem), f"level{level}/{problem}"),
            suite=SUITE,
            level=level,
            problem=problem,
            external_id=f"level{level}/{problem}",
            extra=leftover(values, *USED) if alone else {},
        )
        return Row(record, task, None if alone else self.sample(values, file))

    def sample(self, values: Mapping[str, Any], file: SourceFile) -> SamplePart:
        claimed = speedup(values, "score_default")
        device = file.device or device_in(file.name)
        return SamplePart(
            kernel=program(values, "custom_code"),
            generator="CUDA-L1",
            external_id=f"level{values['level_id']}/{values['task_id']}",
            claimed_speedup=claimed,
            claimed_correct=True if claimed is not None else None,
            claimed_device=device,
            claims=claims(values, device),
            claim_stands_alone=claimed is not None,
            extra=leftover(values, *USED),
        )


def claims(values: Mapping[str, Any], device: str) -> tuple[SourceClaim, ...]:
    """Return the claimed speedup over every baseline that the row has one for."""
    return tuple(
        SourceClaim(Quantity.SPEEDUP, value, baseline, device)
        for column, baseline in BASELINES.items()
        if (value := speedup(values, column)) is not None
    )


def device_in(file_name: str) -> str:
    """Return the device in the name of a published file, such as cuda_l1_h100.jsonl."""
    devices = {
        match.upper().replace("_", "") for match in DEVICE_IN_NAME.findall(file_name.replace("_", " "))
    }
    return devices.pop() if len(devices) == 1 else ""


def stored_names() -> dict[tuple[int, int], str]:
    """Return KernelBench's names by level and number; a number with two stored names is left out."""
    rows = Task.objects.filter(suite=SUITE, level__isnull=False, problem__isnull=False)
    by_number: dict[tuple[int, int], set[str]] = {}
    for level, problem, name in rows.values_list("level", "problem", "name").iterator():
        if level is not None and problem is not None and name != f"level{level}/{problem}":
            by_number.setdefault((level, problem), set()).add(name)
    return {number: names.pop() for number, names in by_number.items() if len(names) == 1}
