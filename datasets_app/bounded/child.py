"""The child process: runs one function of text after another, until the socket that is its standard input closes.

It has no settings, no secrets and no database. The kernel enforces its limits: memory by RLIMIT_DATA, and a timer whose
default action ends the process even inside native code, in case the parent is gone.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import socket
import sys
from importlib import import_module
from typing import Any

from datasets_app.bounded.errors import FAULT, MEMORY
from datasets_app.bounded.messages import LEAVES, READY, STAYS, VALUE, receive, send

MEMORY_BYTES = 640 * 2**20  # of data and heap; an answer of some MB is built from several times as much
LARGEST_AFTERWARDS_BYTES = 160 * 2**20  # a child that grew beyond this ends and is replaced
LARGEST_REQUEST_BYTES = 64 * 2**20
GRACE_SECONDS = 2.0  # the parent's deadline comes first
WARM = (
    "datasets_app.browse.panes.read",
    "datasets_app.browse.panes.compared",
    "datasets_app.syntax.program",
    "datasets_app.similarity.fingerprints",
)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the parent
    limit()
    connection = socket.socket(fileno=sys.stdin.fileno())
    for module in WARM:
        import_module(module)
    send(connection, READY)
    while request := receive(connection, LARGEST_REQUEST_BYTES):
        answer = answered(request)
        leaves = answer[0] == MEMORY or resident_bytes() > LARGEST_AFTERWARDS_BYTES
        send(connection, (LEAVES if leaves else STAYS) + pickle.dumps(answer, protocol=5))
        if leaves:
            return


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def answered(request: bytes) -> tuple[str, Any]:
    """Return ("value", its pickle), or a reason of errors.py with a detail."""
    module, name, arguments, seconds = pickle.loads(request)  # noqa: S301  from the parent
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE_SECONDS)
    try:
        return VALUE, pickle.dumps(getattr(import_module(module), name)(*arguments), protocol=5)
    except MemoryError:
        return MEMORY, ""
    except Exception as error:
        return FAULT, type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def resident_bytes() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
