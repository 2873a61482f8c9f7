from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from datasets_app.export.formats.base import ByteSink, Format
from datasets_app.export.formats.table import TableWriter
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.types import Described

if TYPE_CHECKING:
    import pyarrow as pa


class Arrow(Format):
    """Arrow's streaming format, which `pyarrow.ipc.open_stream` reads batch by batch."""

    name = "arrow"
    title = "Arrow stream"
    means = "a table per split in Arrow's streaming format"
    folder = "arrow"
    suffix = "arrow"
    media_type = "application/vnd.apache.arrow.stream"

    def open(self, stream: ByteSink, options: Options = DEFAULT) -> ArrowWriter:
        return ArrowWriter(stream, self.fields(options))


class ArrowWriter(TableWriter):
    def __init__(self, stream: ByteSink, fields: Sequence[Described]) -> None:
        import pyarrow as pa  # late: half a second of import, which only writers of such files need

        super().__init__(fields)
        self.sink = pa.PythonFile(stream, mode="w")
        self.writer = pa.ipc.new_stream(self.sink, self.schema)

    def write_table(self, table: pa.Table) -> None:
        self.writer.write_table(table)

    def finish(self) -> None:
        self.writer.close()
