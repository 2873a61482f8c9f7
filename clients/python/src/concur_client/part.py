"""A file that is being received, under the name NAME.part."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self

from concur_client.errors import DownloadError
from concur_client.places import PART

FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)  # as on some cluster file systems
READABLE_BY_OTHERS = 0o666  # less the umask, as for any file


class Part:
    """What has been received of a file, with its SHA-256. One process has it at a time."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(target.name + PART)

    def __enter__(self) -> Self:
        """Open and lock. Raises DownloadError if another download has it."""
        self.file = FileIO(os.open(self.path, FLAGS, READABLE_BY_OTHERS), "r+")
        if not self._is_locked():
            self.file.close()
            raise DownloadError(f"Another download is writing {self.path}. Try again when it has ended.")
        self.sha256 = hashlib.file_digest(self.file, "sha256")
        self.size_bytes = self.file.tell()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()

    def _is_locked(self) -> bool:
        """Lock the file, and return whether it is ours: whoever had it may have just given it its final name."""
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
        return self.path.exists() and os.path.samestat(os.fstat(self.file.fileno()), self.path.stat())

    def append(self, block: bytes) -> None:
        view = memoryview(block)
        while view:
            view = view[self.file.write(view) :]
        self.sha256.update(block)
        self.size_bytes += len(block)

    def restart(self) -> None:
        """Drop what has been received."""
        self.file.seek(0)
        self.file.truncate()
        self.sha256, self.size_bytes = hashlib.sha256(), 0

    def finish(self) -> None:
        """Store the file under its final name, which has the old content until then."""
        os.fsync(self.file.fileno())
        os.replace(self.path, self.target)

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
