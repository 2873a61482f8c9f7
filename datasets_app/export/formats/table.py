"""What the columnar formats share: records collected into groups small enough for memory and for viewers."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from datasets_app.export.types import Described, schema

GROUP_ROWS = 1000
GROUP_BYTES = 16 * 2**20  # of text: what the writer holds at most, and well under what viewers take


class TableWriter(ABC):
    def __init__(self, fields: Sequence[Described]) -> None:
        self.schema = schema(fields)
        self.empty()

    def empty(self) -> None:
        self.columns: dict[str, list[Any]] = {name: [] for name in self.schema.names}
        self.rows = self.size = 0

    def write(self, row: dict[str, Any]) -> None:
        for name, value in row.items():
            self.columns[name].append(value)
            self.size += size_of(value)
        self.rows += 1
        if self.rows >= GROUP_ROWS or self.size >= GROUP_BYTES:
            self.flush()

    def flush(self) -> None:
        if self.rows:
            self.write_table(pa.Table.from_pydict(self.columns, self.schema))
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


def size_of(value: Any) -> int:
    if isinstance(value, list):
        return sum(map(size_of, value))
    if isinstance(value, dict):
        return sum(map(size_of, value.values()))
    return len(value) if isinstance(value, str) else 8
