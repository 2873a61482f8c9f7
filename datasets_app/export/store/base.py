from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from datasets_app.export.files import HashingStream, Written, digest_of


class StoreSilentError(OSError):
    """The store did not answer, or refused to: whether it has the file is not known."""


class Store(ABC):
    """Files by name, such as `first/data/train-00000-of-00001.parquet`. Every method raises OSError."""

    @abstractmethod
    def write(self, name: str, write: Callable[[HashingStream], object]) -> Written:
        """Let `write` fill the file, which appears once it returns. A fault leaves the name as it was."""

    @abstractmethod
    def size_bytes(self, name: str) -> int:
        """Return the file's size. Raises FileNotFoundError."""

    @abstractmethod
    def open(self, name: str) -> BinaryIO:
        """Return the file to read, seekable. Raises FileNotFoundError."""

    def local_path(self, name: str) -> Path | None:
        """Return where the file is on this machine, if it is."""
        return None

    def address(self, name: str, *, file_name: str, media_type: str) -> str:
        """Return an address from which anybody can fetch the file for a while; empty: the site sends it itself."""
        return ""

    def fault(self) -> str:
        """Return a sentence if the store cannot be used."""
        return ""

    def read_bytes(self, name: str) -> bytes:
        with self.open(name) as file:
            return file.read()

    def holds(self, name: str, sha256: str) -> bool:
        """Return whether the file is there with these bytes, all of which are read. Raises StoreSilentError."""
        try:
            with self.open(name) as file:
                return digest_of(file) == sha256
        except StoreSilentError:
            raise
        except OSError:
            return False
