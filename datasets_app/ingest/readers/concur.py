"""ConCuR's released columns: one Arrow stream file, or the same columns as JSON Lines, Parquet or CSV."""

from collections.abc import Mapping
from typing import Any

from datasets_app.ingest.limits import DEVICE_CHARS, EXTERNAL_ID_CHARS, GENERATOR_CHARS, NAME_CHARS
from datasets_app.ingest.registry import Origin, Reader, leftover
from datasets_app.ingest.rows import Record, Row, SamplePart, TaskPart
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.values import flag, label, program, speedup, trace

USED = (
    "uuid",
    "problem_name",
    "pytorch_code",
    "generated_think",
    "generated_code",
    "speedup_over_eager",
    "generator",
)


class ConcurReader(Reader):
    """Claims correctness of every row unless it says otherwise: the set holds only kernels that were found correct."""

    name, title = "concur", "ConCuR (Arrow stream, or its columns as JSONL, Parquet, CSV)"
    columns = ("pytorch_code", "generated_code")
    optional = ("problem_name", "speedup_over_eager", "generator", "correct")
    takes_synonyms_of, reports_unused = USED, True
    program_field, kernel_field = "pytorch_code", "generated_code"
    origin = Origin("ConCuR", "https://huggingface.co/datasets/lkongam/ConCuR", "")
    generator = "Kevin-32B"  # that wrote the kernels of the released set

    def row(self, record: Record, file: SourceFile) -> Row:
        values = record.values
        number = label(values, "uuid", EXTERNAL_ID_CHARS)
        task = TaskPart(
            program=program(values, "pytorch_code"),
            name=label(values, "problem_name", NAME_CHARS),
            external_id=number,
        )
        return Row(record, task, self.sample(values, number, file))

    def sample(self, values: Mapping[str, Any], number: str, file: SourceFile) -> SamplePart:
        correct = flag(values, "correct")
        return SamplePart(
            kernel=program(values, "generated_code"),
            reasoning=trace(values, "generated_think"),
            generator=label(values, "generator", GENERATOR_CHARS) or self.known_generator(file),
            external_id=number,
            claimed_speedup=speedup(values, "speedup_over_eager"),
            claimed_correct=True if correct is None else correct,
            claimed_device=file.device[:DEVICE_CHARS],
            extra=leftover(values, *USED, "correct"),
        )

    def known_generator(self, file: SourceFile) -> str:
        return self.generator if file.source_name == self.origin.name else ""
