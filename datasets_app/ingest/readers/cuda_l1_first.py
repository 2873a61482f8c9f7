"""CUDA-L1's first release: one JSON object whose keys are KernelBench's levels, with one claimed speedup per kernel."""

from __future__ import annotations

from datasets_app.ingest.readers.cuda_l1 import CudaL1Reader
from datasets_app.ingest.rows import Record, Row, RowError
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.text_tables import LIST_NAME


class CudaL1FirstReader(CudaL1Reader):
    """Its rows are read as those of the later release; `score` is the speedup over eager."""

    name, title = "cuda-l1-first", "CUDA-L1, first release (JSON by level)"
    columns = (LIST_NAME, "task_id", "ref_code", "custom_code", "score")

    def row(self, record: Record, file: SourceFile) -> Row:
        values = dict(record.values)
        values["level_id"], values["score_default"] = values.pop(LIST_NAME, None), values.pop("score", None)
        try:
            row = super().row(Record(record.line, values, record.raw), file)
        except RowError as error:
            error.field = {"level_id": LIST_NAME, "score_default": "score"}.get(error.field, error.field)
            raise
        return Row(record, row.task, row.sample)
