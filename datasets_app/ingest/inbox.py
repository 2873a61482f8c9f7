"""Opens regular files only, and below the inbox without following symbolic links."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from datasets_app.ingest.rows import IngestError

READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY  # opening a FIFO must not wait for a writer


def in_inbox(name: str) -> Path:
    """Return the path of a file or folder in the inbox. Raises IngestError for anything else."""
    parts = [part for part in name.strip().split("/") if part not in ("", ".")]
    if not parts or ".." in parts or "\x00" in name:
        raise refused(name, "that is no name of a file or folder in it")
    os.close(open_beneath(parts))
    return settings.INBOX_DIR.joinpath(*parts)


def open_regular(path: Path) -> int:
    """Open a regular file, one in the inbox without following symbolic links. Raises IngestError for anything else."""
    if path.is_relative_to(settings.INBOX_DIR):
        descriptor = open_beneath(path.relative_to(settings.INBOX_DIR).parts)
    else:
        descriptor = os.open(path, READ)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise IngestError(f"{path.name} is not a regular file, so it holds no rows.")


def open_beneath(parts: Sequence[str]) -> int:
    """Open a path below the inbox part by part, and check what was opened, so that nothing can be exchanged in
    between.
    """
    name = "/".join(parts)
    here = -1
    try:
        here = os.open(settings.INBOX_DIR, READ | os.O_DIRECTORY)
        for part in parts[:-1]:
            here = step(here, part, READ | os.O_DIRECTORY)
        descriptor = step(here, parts[-1], READ)
        here = -1
    except OSError as error:
        raise refused(name, why(error)) from error
    finally:
        if here >= 0:
            os.close(here)
    if not is_file_or_folder(descriptor):
        os.close(descriptor)
        raise refused(name, "it is neither a file nor a folder")
    return descriptor


def step(here: int, part: str, flags: int) -> int:
    """Open `part` in the open folder `here`, and close `here` if that worked."""
    descriptor = os.open(part, flags | os.O_NOFOLLOW, dir_fd=here)
    os.close(here)
    return descriptor


def is_file_or_folder(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def why(error: OSError) -> str:
    """Return the reason. A link opens as ELOOP, or ENOTDIR if a folder was requested; a socket or device as ENXIO."""
    if error.errno == errno.ELOOP:
        return "it is a symbolic link"
    if error.errno == errno.ENOTDIR:
        return "a step of its path is a symbolic link or no folder"
    if error.errno in (errno.ENXIO, errno.ENODEV):
        return "it is neither a file nor a folder"
    return f"it cannot be opened ({error.strerror})"


def refused(name: str, reason: str) -> IngestError:
    return IngestError(
        f"{name[:200]} cannot be read from the inbox ({settings.INBOX_DIR}): {reason}. Files in that folder can be "
        "read by name, links cannot."
    )
