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


def site() -> Program:
    address = ["--host", "127.0.0.1", "--port", str(settings.PORT)]
    size = ["--workers", "1", "--blocking-threads", "8", "--no-ws"]
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
    return Program("site", "pages and REST", command, where=f"http://127.0.0.1:{settings.PORT}")


def worker() -> Program:
    return Program("worker", "verifies kernels", [PYTHON, MANAGE, "worker"])


def sweeper() -> Program:
    what = "ingests, freezes, exports, books results, requeues what was lost"
    return Program("sweeper", what, [PYTHON, MANAGE, "sweeper"])
