from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol


class ByteSink(Protocol):
    """The target of a format: a file, or anything that takes bytes as a file does."""

    def write(self, data: bytes, /) -> int: ...

    def flush(self) -> None: ...


class RowWriter(Protocol):
    """Takes rows as dicts with the columns of export.columns, in order."""

    def write(self, row: dict[str, Any]) -> None: ...

    def close(self) -> None:
        """Write the remaining rows and the end of the file. The stream stays open."""


class Format(ABC):
    """One way of writing rows to a stream that need not seek."""

    name: ClassVar[str]
    suffix: ClassVar[str]
    media_type: ClassVar[str]
    rows_a_file: ClassVar[int | None] = None  # None: a split is one file

    @abstractmethod
    def open(self, stream: ByteSink) -> RowWriter:
        """Return a writer of rows to `stream`, which stays open."""

    @abstractmethod
    def path(self, split: str, number: int, count: int) -> str:
        """Return the path of file `number` (0-based) of `count` of a split, inside the release's folder."""
