"""Scratch folders of a job: emptied whatever a job left in them, without recursion. Standard library only."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

_FOLDERS = ("/tmp", "/dev/shm")  # noqa: S108
_MOVED = ".moved-"


def empty_all() -> None:
    """Empty every folder in which a job of this sandbox can write."""
    mounts = _mounts()
    for folder in _folders(mounts):
        empty(folder, _above(mounts))


def delete(folder: str) -> None:
    """Delete a folder with all that it holds, as `empty` does."""
    empty(folder)
    _try(os.rmdir, folder)


def empty(folder: str, kept: Collection[str] = ()) -> None:
    """Delete all that `folder` holds besides `kept`, as far as this user may: deep trees, locked folders, pipes.

    A folder inside a folder is first moved up, so that no path grows and nothing recurses. What cannot be
    deleted stays; the caller looks afterwards.
    """
    waiting = [path for path in _paths(folder) if path not in kept]
    moved = 0
    while waiting:
        path = waiting.pop()
        if not _is_folder(path):
            _try(os.unlink, path)
            continue
        _try(os.chmod, path, 0o700)
        for inner in _paths(path):
            if not _is_folder(inner):
                _try(os.unlink, inner)
                continue
            _try(os.chmod, inner, 0o700)  # a folder that may not be written cannot be moved
            while os.path.lexists(target := os.path.join(folder, f"{_MOVED}{moved}")):
                moved += 1
            if _try(os.rename, inner, target):
                waiting.append(target)
        _try(os.rmdir, path)


def remaining_files() -> str:
    """Return what the scratch folders hold, in words; empty if nothing."""
    mounts = _mounts()
    kept = _above(mounts)
    left = [path for folder in _folders(mounts) for path in _paths(folder) if path not in kept]
    return f"{len(left)} files or folders, such as {ascii(left[0])[:120]}" if left else ""


def remaining_processes() -> str:
    """Return how many processes this sandbox holds besides its init and the present one; empty if none."""
    others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
    return f"{len(others)} processes" if others else ""


def _mounts() -> set[str]:
    """Return the mount points within the scratch folders, such as a cache of modules that is kept in /tmp."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        points = [
            re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), line.split(" ")[4]) for line in file
        ]
    return {point for point in points if point.startswith(tuple(f"{folder}/" for folder in _FOLDERS))}


def _above(mounts: set[str]) -> set[str]:
    """Return the mount points and the folders that lead to them."""
    return {str(path) for mount in mounts for path in (Path(mount), *Path(mount).parents)} - {*_FOLDERS, "/"}


def _folders(mounts: set[str]) -> list[str]:
    """Return the scratch folders and those that lead to a mount point, without what is mounted."""
    inner = tuple(f"{mount}/" for mount in mounts)
    leading = [path for path in _above(mounts) if not f"{path}/".startswith(inner)]
    return [*_FOLDERS, *(path for path in leading if path.startswith(tuple(f"{f}/" for f in _FOLDERS)))]


def _paths(folder: str) -> Iterator[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    yield from (os.path.join(folder, name) for name in names)


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _try(action: Callable[..., None], *arguments: object) -> bool:
    try:
        action(*arguments)
    except OSError:
        return False
    return True
