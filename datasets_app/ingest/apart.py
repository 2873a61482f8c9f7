"""Reads a large file in a process of its own: reading and storing both need a processor for all of their time.

The process asks no database and is told nothing but the file, so it can be ended at any moment.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import BinaryIO, Self, cast

from django.conf import settings

from datasets_app.ingest import caps, frames
from datasets_app.ingest.prepared import Portion
from datasets_app.ingest.registry import Reader
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.source_file import SourceFile

MODULE = "datasets_app.reading_process"


@dataclass(frozen=True)
class Order:
    """What the process is told."""

    path: str
    name: str
    device: str
    source_name: str
    format: str
    counted: int  # rows that an earlier attempt stored
    mapping: dict[str, str] = field(default_factory=dict)


def is_worth_it(file: SourceFile, reader: Reader) -> bool:
    """For a large file of triples that are read without asking the database."""
    asks = type(reader).look_up is not Reader.look_up
    return not asks and not reader.stores_itself and file.size_bytes >= caps.APART_FROM_BYTES


class ReadingProcess:
    """A context: at its end the process is gone, whatever it was at."""

    def __init__(self, file: SourceFile, reader: Reader, counted: int) -> None:
        path = str(file.path.resolve())
        self.order = Order(path, file.name, file.device, file.source_name, reader.name, counted, file.mapping)

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(  # noqa: S603  this interpreter, and no shell
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=settings.BASE_DIR,
            start_new_session=True,  # Ctrl-C is for the process that stores, which ends this one
        )
        assert self.process.stdin is not None
        with self.process.stdin as told:
            told.write(json.dumps(asdict(self.order)).encode())
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def portions(self) -> Iterator[tuple[int, Portion]]:
        """As `prepared.read_on` gives them. Raises IngestError."""
        with cast(BinaryIO, self.process.stdout) as pipe:
            try:
                yield from frames.read(pipe)
            except frames.CutOffError:
                raise IngestError(self.why_it_ended()) from None

    def why_it_ended(self) -> str:
        code = self.process.wait()
        how = (
            signal.Signals(-code).name
            if code < 0
            else f"exit code {code}, and the log of the worker says more"
        )
        return (
            f"The process that reads the file was ended ({how}). What it read before is stored; "
            "ingest the file again to go on: rows that are stored are not stored twice."
        )
