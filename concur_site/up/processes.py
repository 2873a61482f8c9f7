"""The processes of a run, each with its command, in the order in which they start."""

import os
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

from concur_site import redis_server

PYTHON = sys.executable
MANAGE = [str(settings.BASE_DIR / "manage.py")] if settings.IS_CHECKOUT else ["-m", "concur_site"]


@dataclass(frozen=True)
class Program:
    name: str
    what: str
    command: list[str]
    where: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    descriptors: tuple[int, ...] = ()  # open files that it inherits
    orphan_signal: int = signal.SIGTERM  # sent to it if its supervisor is killed


def own_redis() -> Program | None:
    """Return the run's own Redis, or None if REDIS_URL names one that is running."""
    if not settings.HAS_OWN_REDIS:
        return None
    folder = settings.DATA_DIR / "redis"
    folder.mkdir(exist_ok=True)
    socket = Path(settings.REDIS_SOCKET)
    access = settings.BROKER_ACCESS
    command = redis_server.command(folder, socket, access=access)
    return Program("redis", "the broker", command, where=access.listen or str(socket))


MOST_SITE_PROCESSES = 4


def site_processes() -> int:
    """Return CONCUR_SITE_PROCESSES, otherwise one per core: Python runs one thread at a time. Each holds the facet
    index.
    """
    return settings.SITE_PROCESSES or max(1, min(MOST_SITE_PROCESSES, os.cpu_count() or 1))


def site(descriptor: int, board: int) -> list[Program]:
    """Return the site processes, which accept from one listening socket and have no state to save."""
    return [
        Program(
            f"site-{number}",
            "pages and REST",
            [
                PYTHON,
                *MANAGE,
                "serve",
                "--fd",
                str(descriptor),
                "--board",
                str(board),
                "--number",
                str(number),
            ],
            where=f"http://127.0.0.1:{settings.PORT}",
            descriptors=(descriptor, board),
            orphan_signal=signal.SIGKILL,
        )
        for number in range(1, site_processes() + 1)
    ]


def worker() -> Program:
    return Program("worker", "verifies kernels", [PYTHON, *MANAGE, "worker"])


def sweeper() -> Program:
    what = "ingests, freezes, exports, records results, requeues lost jobs"
    return Program("sweeper", what, [PYTHON, *MANAGE, "sweep"])
