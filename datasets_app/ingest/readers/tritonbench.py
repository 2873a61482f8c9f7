"""TritonBench: Triton kernels of public repositories (G), and PyTorch expressions to be written in Triton (T).

Neither has a program in KernelBench's form. A kernel of G is stored as published, a task of T as its PyTorch text.
"""

from __future__ import annotations

from datasets_app.ingest.limits import EXTERNAL_ID_CHARS, GENERATOR_CHARS, NAME_CHARS
from datasets_app.ingest.no_program import task_without_program
from datasets_app.ingest.registry import Origin, Reader, leftover
from datasets_app.ingest.rows import Record, Row, SamplePart, TaskPart
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.values import extra, label, program

ORIGIN = Origin("TritonBench", "https://github.com/thunlp/TritonBench", "Apache-2.0")
SUITE_G, SUITE_T = "TritonBench-G", "TritonBench-T"
INSTRUCTIONS = ("simp_instru", "comp_instru", "difficulty")  # of a kernel of G: they belong to its task


class TritonBenchKernelsReader(Reader):
    name, title = "tritonbench-g", "TritonBench-G kernels (JSON)"
    columns = ("file", "repo", "simp_instru", "comp_instru", "output")
    program_field, kernel_field = "file", "output"
    origin = ORIGIN

    def row(self, record: Record, file: SourceFile) -> Row:
        values = record.values
        path = label(values, "file", EXTERNAL_ID_CHARS)
        told = extra({name: values[name] for name in INSTRUCTIONS if name in values})
        task = task_without_program(ORIGIN.name, path.removesuffix(".py"), SUITE_G, told)
        sample = SamplePart(
            kernel=program(values, "output"),
            generator=label(values, "repo", NAME_CHARS)[:GENERATOR_CHARS],
            language="triton",
            external_id=path,
            is_program=False,
            extra=leftover(values, "file", "repo", "output", *INSTRUCTIONS),
        )
        return Row(record, task, sample)


class TritonBenchTasksReader(Reader):
    name, title = "tritonbench-t", "TritonBench-T tasks (JSON)"
    columns = ("file", "torch_code", "description", "math")
    program_field = "torch_code"
    origin = ORIGIN
    order = 0

    def row(self, record: Record, file: SourceFile) -> Row:
        values = record.values
        path = label(values, "file", EXTERNAL_ID_CHARS)
        task = TaskPart(
            program=program(values, "torch_code"),
            name=label(values, "name", NAME_CHARS) or path.removesuffix(".py"),
            suite=SUITE_T,
            external_id=path,
            extra=leftover(values, "file", "name", "torch_code"),
            without_model=True,
        )
        return Row(record, task)
