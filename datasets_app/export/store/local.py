from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from datasets_app.export.files import HashingStream, Written, write_whole
from datasets_app.export.store.base import Store


class LocalStore(Store):
    """A folder of this machine. The server, or nginx in front of it, sends its files without a thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, write: Callable[[HashingStream], object]) -> Written:
        return write_whole(self.folder / name, write)

    def size_bytes(self, name: str) -> int:
        return (self.folder / name).stat().st_size

    def open(self, name: str) -> BinaryIO:
        return (self.folder / name).open("rb")

    def local_path(self, name: str) -> Path:
        return self.folder / name
