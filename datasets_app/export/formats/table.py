"""What the columnar formats share: records collected into groups small enough for memory and for viewers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from datasets_app.export.types import Described, schema

if TYPE_CHECKING:
    import pyarrow as pa

GROUP_ROWS = 1000
GROUP_BYTES = 16 * 2**20  # of text: what the writer holds at most, and well under what viewers take


class TableWriter(ABC):
    def __init__(self, fields: Sequence[Described]) -> None:
        self.schema = schema(fields)
        self.empty()

    def empty(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.size = 0

    def write(self, row: dict[str, Any]) -> None:
        self.rows.append(row)
        self.size += size_of(row)
        if len(self.rows) >= GROUP_ROWS or self.size >= GROUP_BYTES:
            self.flush()

    def flush(self) -> None:
        import pyarrow as pa  # late: half a second of import, which only writers of such files need

        if self.rows:
            columns = {name: [row[name] for row in self.rows] for name in self.schema.names}
            self.write_table(pa.Table.from_pydict(columns, self.schema))
            self.empty()

    @abstractmethod
    def write_table(self, table: pa.Table) -> None:
        """Write one group."""

    def close(self) -> None:
        self.flush()
        self.finish()

    @abstractmethod
    def finish(self) -> None:
        """Write the end of the file."""


def size_of(row: dict[str, Any]) -> int:
    """Return about how many bytes the values take; in few steps, for it is done for every row."""
    values = row.values()
    size = 8 * len(row) + sum([len(value) for value in values if type(value) is str])
    for value in values:
        if value and type(value) is list:
            size += sum(size_of(item if type(item) is dict else {"": item}) for item in value)
    return size
