from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from datasets_app.export.formats.base import ByteSink, Format
from datasets_app.export.formats.table import GROUP_ROWS, TableWriter
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.types import Described

if TYPE_CHECKING:
    import pyarrow as pa


class Parquet(Format):
    """zstd, row groups small enough for a viewer, with a page index so that a reader can skip."""

    name = "parquet"
    title = "Parquet"
    means = "a table per split, in files that datasets, pandas, polars and duckdb read"
    folder = "data"
    suffix = "parquet"
    media_type = "application/vnd.apache.parquet"
    rows_a_file = 20_000  # some 500 MB before compression at 25 KB a row
    is_config = True

    def open(self, stream: ByteSink, options: Options = DEFAULT) -> ParquetWriter:
        return ParquetWriter(stream, self.fields(options))

    def path(self, split: str, number: int, count: int, options: Options = DEFAULT) -> str:
        return f"{self.place(options)}/{split}-{number:05d}-of-{count:05d}.parquet"


class ParquetWriter(TableWriter):
    def __init__(self, stream: ByteSink, fields: Sequence[Described]) -> None:
        import pyarrow as pa  # late: half a second of import, which only writers of such files need
        import pyarrow.parquet as pq

        super().__init__(fields)
        self.sink = pa.PythonFile(stream, mode="w")
        self.writer = pq.ParquetWriter(self.sink, self.schema, compression="zstd", write_page_index=True)

    def write_table(self, table: pa.Table) -> None:
        self.writer.write_table(table, row_group_size=GROUP_ROWS)

    def finish(self) -> None:
        self.writer.close()
