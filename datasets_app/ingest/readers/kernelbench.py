"""KernelBench's tasks as a table: code, level, name, problem_id."""

from datasets_app.ingest.limits import MAX_LEVEL, NAME_CHARS
from datasets_app.ingest.registry import Origin, Reader, leftover
from datasets_app.ingest.rows import Record, Row, TaskPart
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.values import label, needed, program

SUITE = "KernelBench"
ORIGIN = Origin(SUITE, "https://github.com/ScalingIntelligence/KernelBench", "MIT")


class KernelBenchReader(Reader):
    name, title = "kernelbench", "KernelBench tasks (JSONL, Parquet)"
    columns = ("code", "level", "problem_id")
    program_field, kernel_field = "code", "code"
    origin = ORIGIN
    order = 0

    def row(self, record: Record, file: SourceFile) -> Row:
        values = record.values
        level, problem = needed(values, "level", 0, MAX_LEVEL), needed(values, "problem_id")
        task = TaskPart(
            program=program(values, "code"),
            name=label(values, "name", NAME_CHARS) or f"level{level}/{problem}",
            suite=SUITE,
            level=level,
            problem=problem,
            external_id=f"level{level}/{problem}",
            extra=leftover(values, "code", "level", "name", "problem_id"),
        )
        return Row(record, task)
