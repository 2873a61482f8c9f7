"""Runs a real Redis for the tests that need a broker."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from concur_site.redis_server import command, wait_until_ready

FOR_TESTS = frozenset({"ACL", "CONFIG", "FLUSHALL", "KEYS", "MONITOR"})  # disabled in the Redis of a run


@contextmanager
def running_redis(kept: frozenset[str] = FOR_TESTS) -> Iterator[str]:
    """Yield the URL of a Redis that lives as long as the block."""
    with tempfile.TemporaryDirectory(prefix="cw-redis-") as name:
        socket = Path(name) / "redis.sock"
        url = f"unix://{socket}"
        process = subprocess.Popen(command(Path(name), socket, kept), stdout=subprocess.DEVNULL)
        try:
            wait_until_ready(process, url)
            yield url
        finally:
            process.terminate()
            process.wait(timeout=60)
