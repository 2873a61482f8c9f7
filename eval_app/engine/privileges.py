"""Giving up what a process could do, before it runs code that nobody vouches for. Standard library only.

Runs inside a sandbox: as a program (`python privileges.py OPTIONS -- COMMAND`) for compilers, as functions in
the zygote.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
from collections.abc import Sequence
from dataclasses import dataclass

_PR_SET_DUMPABLE = 4
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_PDEATHSIG = 1
_CAPABILITIES = 64
_SIGKILL = 9


@dataclass(frozen=True)
class Limits:
    """What one process tree may take; None leaves a limit alone."""

    # Processes and threads of the user that the tree runs as.
    processes: int | None = None
    # Size of one file, in bytes; shared memory counts as a file.
    file_bytes: int | None = None
    # Virtual memory of one process. Not for CUDA, which reserves huge ranges.
    address_bytes: int | None = None
    open_files: int | None = 1024

    def apply(self) -> None:
        """Set them for this process and its children, hard and soft."""
        pairs = (
            (resource.RLIMIT_NPROC, self.processes),
            (resource.RLIMIT_FSIZE, self.file_bytes),
            (resource.RLIMIT_AS, self.address_bytes),
            (resource.RLIMIT_NOFILE, self.open_files),
            (resource.RLIMIT_CORE, 0),
        )
        for limit, value in pairs:
            if value is not None:
                _lower(limit, value)


def _lower(limit: int, value: int) -> None:
    hard = resource.getrlimit(limit)[1]
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (allowed, allowed))


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends."""
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL)


def hide_memory() -> None:
    """Keep other processes of the same user from reading or writing this one's memory."""
    _prctl(_PR_SET_DUMPABLE, 0)


def show_memory() -> None:
    """Undo `hide_memory`, so that this process may read its own /proc entries again."""
    _prctl(_PR_SET_DUMPABLE, 1)


def become(uid: int) -> None:
    """Turn into user and group `uid` for good, without capabilities. Root only; others stay who they are.

    RLIMIT_NPROC does not bind root, and a process of another user can be neither traced nor killed.
    """
    if os.getuid() == 0:
        for capability in range(_CAPABILITIES):
            _prctl(_PR_CAPBSET_DROP, capability)
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run a command with less.")
    parser.add_argument("--uid", type=int, default=0)
    for name in ("processes", "file-bytes", "address-bytes"):
        parser.add_argument(f"--{name}", type=int, default=None)
    parser.add_argument("command", nargs="+")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Lower the limits, drop to the user, become the command."""
    options = _parse(arguments)
    Limits(options.processes, options.file_bytes, options.address_bytes).apply()
    if options.uid:
        become(options.uid)
    os.execvp(options.command[0], options.command)  # noqa: S606


if __name__ == "__main__":
    main()
