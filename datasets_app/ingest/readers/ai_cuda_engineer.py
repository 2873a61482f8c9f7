"""The AI CUDA Engineer Archive: one bare .cu per row, with its task as a module and in functional form."""

import math
from collections.abc import Mapping
from typing import Any

from datasets_app.ingest.limits import EXTERNAL_ID_CHARS, MAX_LEVEL, NAME_CHARS
from datasets_app.ingest.pybind import functional_candidate
from datasets_app.ingest.readers.kernelbench import SUITE
from datasets_app.ingest.registry import Origin, Reader, leftover
from datasets_app.ingest.rows import Record, Row, SamplePart, TaskPart
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.values import flag, is_finite, label, needed, number, program
from datasets_app.models.source_claim import EAGER, Quantity, SourceClaim

COMPILED = "torch.compile"
# What the archive measured: column, quantity, baseline.
MEASURED = (
    ("CUDA_Speedup_Native", Quantity.SPEEDUP, EAGER),
    ("CUDA_Speedup_Compile", Quantity.SPEEDUP, COMPILED),
    ("CUDA_Runtime", Quantity.TIME, ""),
    ("PyTorch_Native_Runtime", Quantity.REFERENCE_TIME, EAGER),
    ("PyTorch_Compile_Runtime", Quantity.REFERENCE_TIME, COMPILED),
)
USED = (
    *("Op_Name", "Level_ID", "Task_ID", "Kernel_Name", "CUDA_Speedup_Native", "CUDA_Code", "Correct"),
    *("PyTorch_Code_Module", "PyTorch_Code_Functional", "Max_Diff", "__index_level_0__"),
    *(column for column, _, _ in MEASURED),
)


class AiCudaEngineerReader(Reader):
    """Combines the kernel with the functional program, whose module_fn it replaces.

    Its profiles (NCU_Profile, Torch_Profile, Clang_Tidy) and errors stay with the row, as the archive has them.
    """

    name, title = "ai-cuda-engineer", "AI CUDA Engineer Archive (Parquet, CSV)"
    columns = ("PyTorch_Code_Module", "PyTorch_Code_Functional", "CUDA_Code")
    program_field, kernel_field = "PyTorch_Code_Module", "CUDA_Code"
    origin = Origin(
        "AI CUDA Engineer Archive",
        "https://huggingface.co/datasets/SakanaAI/AI-CUDA-Engineer-Archive",
        "CC-BY-4.0",
    )

    def row(self, record: Record, file: SourceFile) -> Row:
        values = record.values
        level, problem = needed(values, "Level_ID", 0, MAX_LEVEL), needed(values, "Task_ID")
        task = TaskPart(
            program=program(values, "PyTorch_Code_Module"),
            name=label(values, "Op_Name", NAME_CHARS) or f"level{level}/{problem}",
            suite=SUITE,
            level=level,
            problem=problem,
            external_id=f"level{level}/{problem}",
        )
        return Row(record, task, self.sample(values, file))

    def sample(self, values: Mapping[str, Any], file: SourceFile) -> SamplePart:
        code = program(values, "CUDA_Code")
        return SamplePart(
            kernel=functional_candidate(program(values, "PyTorch_Code_Functional"), code),
            generator="AI CUDA Engineer",
            language="cuda",
            external_id=label(values, "Kernel_Name", NAME_CHARS)[:EXTERNAL_ID_CHARS],
            claimed_speedup=measured(values, "CUDA_Speedup_Native"),
            claimed_correct=flag(values, "Correct"),
            claimed_device=file.device,
            claims=claims(values, file.device),
            extra=leftover(values, *USED),
        )


def measured(values: Mapping[str, Any], field: str) -> float | None:
    """Return the number, if any: this archive writes NaN, zero or less for kernels that were not measured."""
    if isinstance(values.get(field), float) and math.isnan(values[field]):
        return None
    value = number(values, field)
    return value if value is not None and value > 0 else None


def claims(values: Mapping[str, Any], device: str) -> tuple[SourceClaim, ...]:
    """Return what the archive measured of the kernel and its reference, and the largest difference between them."""
    found = [
        SourceClaim(quantity, value, baseline, device)
        for column, quantity, baseline in MEASURED
        if (value := measured(values, column)) is not None
    ]
    gap = values.get("Max_Diff")
    if is_finite(gap) and gap >= 0:
        found.append(SourceClaim(Quantity.ABSOLUTE_ERROR, float(gap), "", device))
    return tuple(found)
