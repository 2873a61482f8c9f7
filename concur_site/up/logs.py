"""The output of a run's programs: one log file per program, rotated by size, and the terminal.

A program blocks when its pipe is full, so nothing here raises or waits: lines that a full disk or a stopped terminal
does not accept are dropped and counted.
"""

import os
import queue
import threading
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import IO

from concur_site.logs.escape import escaped

LIMIT_BYTES = 10 * 2**20
OLDER_FILES = 2
LINE_BYTES = 64 * 2**10  # a longer line is cut into several
LINES_WAITING = 2000  # for the terminal


def lines_of(stream: IO[bytes]) -> Iterator[str]:
    """Yield each line until the stream ends, without its line break and with control characters escaped."""
    while line := stream.readline(LINE_BYTES):
        yield escaped(line.decode(errors="backslashreplace").rstrip("\r\n"))


def fresh_log_folder(folder: Path) -> Path:
    """Create the folder and start new logs for this run; those of earlier runs are kept as *.log.1, *.log.2."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.log"):
        rotate(path)
    return folder


def rotate(path: Path) -> None:
    """Rename x.log to x.log.1 and that to x.log.2, which is deleted."""
    names = [path, *(path.with_name(f"{path.name}.{number}") for number in range(1, OLDER_FILES + 1))]
    for newer, older in reversed(list(pairwise(names))):
        if newer.exists():
            newer.replace(older)


class LogFile:
    """One program's log. `write` never raises; it may be called from several threads."""

    def __init__(self, path: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self.path = path
        self.limit_bytes = limit_bytes
        self.dropped = 0
        self._file: IO[bytes] | None = None
        self._lock = threading.Lock()

    def write(self, line: str) -> None:
        """Append a line. If it cannot be written it is dropped, and the next line reports how many were."""
        with self._lock:
            gap = (
                f"[{self.dropped} lines are missing here: they could not be written]\n"
                if self.dropped
                else ""
            )
            try:
                self._append(f"{gap}{line}\n".encode(errors="backslashreplace"))
            except OSError:
                self.dropped += 1
                self._close()
            else:
                self.dropped = 0

    def _append(self, data: bytes) -> None:
        """Append all of `data` or nothing. Raises OSError."""
        file = self._opened()
        size = file.tell()
        if size and size + len(data) > self.limit_bytes:
            self._close()
            rotate(self.path)
            file, size = self._opened(), 0
        if file.write(data) < len(data):
            file.truncate(size)  # the disk became full within the line
            raise OSError("The disk is full")

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            self._file = self.path.open("ab", buffering=0)
        return self._file

    def _close(self) -> None:
        """Close the file, so that it is opened again: its folder may have been unavailable."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # a network disk may fail late
                file.close()


class Terminal:
    """The terminal of a run, written by a thread of its own.

    A closed terminal ends nothing: the log files have every line. A paused one (Ctrl-S, a pager) misses lines, and
    the next line that is shown says how many.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._dropped = 0
        self._lines: queue.Queue[str | None] = queue.Queue(LINES_WAITING)
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._write_lines, name="terminal", daemon=True)
        self._thread.start()

    def say(self, line: str) -> None:
        """Queue a line for the terminal. Neither raises nor waits for the terminal."""
        with self._lock:
            try:
                self._lines.put_nowait(f"{self._gap()}{line}\n")
            except queue.Full:
                self._dropped += 1
            else:
                self._dropped = 0

    def close(self, within_seconds: float = 2.0) -> None:
        """Show the queued lines, if the terminal accepts them in time."""
        try:
            self._lines.put(self._gap(), timeout=within_seconds)
            self._lines.put(None, timeout=within_seconds)
        except queue.Full:
            return
        self._thread.join(within_seconds)

    def _gap(self) -> str:
        return f"[{self._dropped} lines were not shown: the terminal was stopped]\n" if self._dropped else ""

    def _write_lines(self) -> None:
        is_open = True
        for text in iter(self._lines.get, None):
            is_open = is_open and self._write(text.encode(errors="backslashreplace"))

    def _write(self, data: bytes) -> bool:
        """Write all of `data`; False if nobody reads any more."""
        try:
            while data:
                data = data[os.write(self.descriptor, data) :]
        except OSError:
            return False
        return True
