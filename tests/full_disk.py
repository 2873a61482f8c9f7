"""A small file system that a test may fill: a tmpfs in a mount namespace of the process under test.

The mount is invisible outside of that namespace; the test reaches it below /proc/PID/root.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

BLOCK_BYTES = 64 * 2**10


def namespace() -> list[str]:
    """Return the `unshare` command with the options that this user needs to mount a file system."""
    return ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]


def why_not() -> str:
    """Return why no file system can be mounted here; empty if one can."""
    if shutil.which("unshare") is None:
        return "no unshare on the PATH: no file system of its own can be mounted for this test"
    command = [*namespace(), "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "/mnt"]
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"no tmpfs can be mounted here: {done.stderr.strip()}"


def skip_without_mounts() -> None:
    if reason := why_not():
        pytest.skip(reason)


def on_a_small_disk(folder: Path, size: str, command: list[str]) -> list[str]:
    """Return the command with a tmpfs of `size` at `folder`, which exists."""
    script = 'mount -t tmpfs -o "size=$1" tmpfs "$2" && shift 2 && exec "$@"'
    return [*namespace(), "sh", "-c", script, "sh", size, str(folder), *command]


# Truncates SQLite's log, which can then only grow while a reader stays: otherwise small writes fit into it.
READER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
connection.execute("BEGIN")
connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
print("busy" if busy else "reads", flush=True)
sys.stdin.read()
"""


class SmallDisk:
    """The tmpfs at `folder` as seen by the process `pid`."""

    def __init__(self, pid: int, folder: Path) -> None:
        self.pid, self.folder = pid, folder
        self.path = Path(f"/proc/{pid}/root{folder}")
        self.filler = self.path / "filler"

    def free_bytes(self) -> int:
        status = os.statvfs(self.path)
        return status.f_bavail * status.f_frsize

    def inside(self, *command: str) -> list[str]:
        """Return the command, run in that process's mount namespace."""
        as_user = [] if os.geteuid() == 0 else ["-U", "--preserve-credentials"]
        return ["nsenter", "-t", str(self.pid), "-m", *as_user, *command]

    @contextmanager
    def long_reader(self, database: str) -> Iterator[None]:
        """Keep a read transaction open, so that every write needs space at once."""
        command = self.inside(sys.executable, "-c", READER, str(self.folder / database))
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "reads\n"
            try:
                yield
            finally:
                process.stdin.close()

    @contextmanager
    def full(self) -> Iterator[None]:
        """Keep the disk completely full, even if processes delete files; free it afterwards."""
        ended = threading.Event()
        thread = threading.Thread(target=self._keep_filling, args=(ended,))
        self._fill()
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            self.filler.unlink()

    def _keep_filling(self, ended: threading.Event) -> None:
        while not ended.wait(0.02):
            self._fill()

    def _fill(self) -> None:
        with self.filler.open("ab", buffering=0) as file:
            for size in (BLOCK_BYTES, 1):
                with contextlib.suppress(OSError):
                    while file.write(b"\0" * size):
                        pass
