"""Runs the site's real server for a benchmark, started by `manage.py up`."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
READY_WITHIN_SECONDS = 600.0  # a busy machine takes minutes to ingest the demo pack
TICKS = os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def running_site(*options: str, demo: bool = False) -> Iterator[tuple[int, int]]:
    """Yield port and process id of a site that answers; `--site-only` omits Redis, worker and sweeper."""
    port = free_port()
    environment = {**os.environ, "CONCUR_PORT": str(port), "CONCUR_DEMO": str(int(demo))}
    process = subprocess.Popen(
        [sys.executable, "manage.py", "up", *options],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_for(port, process)
        yield port, process.pid
    finally:
        stop(process)


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            line.request("GET", "/healthz", headers={"Host": "localhost"})  # CONCUR_HOSTS may name it alone
            if line.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.2)
        finally:
            line.close()
    raise TimeoutError("the site does not answer")


def stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=40)
    except subprocess.TimeoutExpired:  # its child processes end with it
        process.kill()
        process.wait()


def children(pid: int) -> dict[int, str]:
    """Return the run's processes, by id, with their commands."""
    ids = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {
        int(child): Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode() for child in ids
    }


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    from concur_site.redis_server import command, wait_until_ready

    socket = folder / "redis.sock"
    process = subprocess.Popen(command(folder, socket))
    url = f"unix://{socket}"
    try:
        wait_until_ready(process, url)
        yield url
    finally:
        process.terminate()
        process.wait()


@contextmanager
def site_worker() -> Iterator[subprocess.Popen[bytes]]:
    """Run the worker that `make run` starts for the site's own jobs."""
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), "sweep"], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


def site_usage(pid: int) -> tuple[float, float]:
    """Return processor seconds so far, and resident MB, of the site's processes together."""
    seconds = megabytes = 0.0
    for child, command in children(pid).items():
        if " serve " in command:
            fields = Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()
            seconds += (int(fields[11]) + int(fields[12])) / TICKS
            megabytes += int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return seconds, megabytes
