"""What a run consists of: each process with its command, and the order in which they start."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

from concur_site import redis_server

PYTHON = sys.executable
MANAGE = str(settings.BASE_DIR / "manage.py")


@dataclass(frozen=True)
class Program:
    name: str
    what: str
    command: list[str]
    where: str = ""
    environment: dict[str, str] = field(default_factory=dict)


def own_redis() -> Program | None:
    """The run's own Redis, unless REDIS_URL names one that is there already."""
    if os.environ.get("REDIS_URL", "").strip():
        return None
    folder = settings.DATA_DIR / "redis"
    folder.mkdir(exist_ok=True)
    socket = Path(settings.REDIS_SOCKET)
    command = redis_server.command(folder, socket)
    return Program("redis", "the broker", command, where=str(socket))


MOST_SITE_PROCESSES = 4


def site_processes() -> int:
    """One a core, since Python runs one thread at a time; each holds the counts' bits, so not many."""
    return max(1, min(MOST_SITE_PROCESSES, os.cpu_count() or 1))


def site(port: int | None = None) -> Program:
    """Pages and REST. `port`: another than the site's own, for a second server beside it."""
    port = port or settings.PORT
    address = ["--host", "127.0.0.1", "--port", str(port)]
    processes = str(site_processes())
    size = ["--workers", processes, "--blocking-threads", "4", "--no-ws", "--log-level", "warning"]
    command = [
        PYTHON,
        "-m",
        "granian",
        "--interface",
        "wsgi",
        *address,
        *size,
        "concur_site.wsgi:application",
    ]
    return Program("site", "pages and REST", command, where=f"http://127.0.0.1:{port}")


def worker() -> Program:
    return Program("worker", "verifies kernels", [PYTHON, MANAGE, "worker"])


def sweeper() -> Program:
    what = "ingests, freezes, exports, books results, requeues what was lost"
    return Program("sweeper", what, [PYTHON, MANAGE, "sweep"])
