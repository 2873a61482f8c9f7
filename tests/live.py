"""Runs the whole site as a person starts it: `manage.py up` on its own data folder and port."""

import contextlib
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.once import made_once

ROOT = Path(__file__).resolve().parent.parent
PASSWORD = "a-password-for-tests"
PATIENCE_SECONDS = 120.0  # an upper bound; only a busy machine needs this many
MARKS = {
    "valkey-server": "redis",
    "redis-server": "redis",
    "manage.py sweep": "sweeper",
    "eval_app.host": "worker",
} | {f"--number {number}": f"site-{number}" for number in range(1, 9)}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition: Callable[[], Any], what: str) -> Any:
    """Return the condition's first true result. Raises AssertionError, which names what did not happen."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    began = time.monotonic()
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what} did not happen"
        # Asking takes processor time from the site, too: it is asked less often where an answer takes long.
        time.sleep(min(2.0, max(0.05, 3 * (time.monotonic() - began))))
        began = time.monotonic()
    return found


class LiveSite:
    """A site that runs during the block; `.output` is its terminal output."""

    program: tuple[str, ...] = ("manage.py",)
    options: tuple[str, ...] = ()

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.environment = {
            **{
                k: v
                for k, v in os.environ.items()
                if k not in ("REDIS_URL", "DATABASE_URL", "DJANGO_SETTINGS_MODULE")
            },
            "CONCUR_DATA_DIR": str(folder),
            "CONCUR_PORT": str(self.port),
            "CONCUR_ADMIN_PASSWORD": PASSWORD,
            "CONCUR_SITE_PROCESSES": "1",  # each takes seconds to start
            **environment,
        }
        self.command = [sys.executable, *self.program, "up", *self.options]
        self.output: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> "LiveSite":
        self.process = subprocess.Popen(
            self.command,
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        try:
            self.wait_for(r"ready in ([\d.]+) s")
        except AssertionError:
            self.stop()
            raise
        return self

    def _read(self) -> None:
        for line in self.process.stdout:
            self.output.append(line.rstrip())

    def wait_for(self, pattern: str, within_seconds: float = PATIENCE_SECONDS) -> re.Match[str]:
        """Return the first matching line of the terminal; raise AssertionError with its text otherwise."""
        deadline = time.monotonic() + within_seconds
        while time.monotonic() < deadline:
            ended = self.process.poll() is not None
            for line in list(self.output):
                if found := re.search(pattern, line):
                    return found
            if ended and not self.reader.is_alive():
                break
            time.sleep(0.1)
        raise AssertionError(f"nothing matched {pattern!r} in:\n" + "\n".join(self.output[-60:]))

    def manage(self, *arguments: str, timeout_seconds: float = 300) -> subprocess.CompletedProcess[str]:
        """Run a management command on the same data, as in a second terminal."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command,
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout_seconds,
            check=False,
        )

    def get(self, path: str, token: str = "") -> bytes:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(self.url + path, headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
            return response.read()

    def hosts_seen(self) -> set[str]:
        """Return the hosts from which a message has come, straight from the database: a command takes seconds."""
        rows = sqlite3.connect(f"file:{self.folder}/concur.sqlite3?mode=ro", uri=True)
        with contextlib.closing(rows):
            return {
                name for (name,) in rows.execute("SELECT name FROM eval_app_host WHERE seen_at IS NOT NULL")
            }

    def children(self) -> dict[str, int]:
        """Return the pids of the run's processes by name, from /proc."""
        pids = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rsplit(")", 1)[1].split()
                command = path.with_name("cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if int(fields[1]) == self.process.pid:
                name = next((name for mark, name in MARKS.items() if mark in command), command)
                pids[name] = int(path.parent.name)
        return pids

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise

    def __exit__(self, *error: object) -> None:
        self.stop()


def prepare_folder(folder: Path, *, demo: bool = False) -> Path:
    """Fill a site's folder with what its first start would make there, which takes longer than the start itself."""

    def prepare(draft: Path) -> None:
        done = LiveSite(draft, CONCUR_DEMO=str(int(demo)), CONCUR_DEMO_VERIFY="0").manage("prepare")
        assert done.returncode == 0, done.stderr

    shutil.copytree(made_once("demo" if demo else "prepared", prepare), folder, dirs_exist_ok=True)
    return folder


class SiteAlone(LiveSite):
    """A site without Redis, worker and sweeper."""

    options = ("--site-only",)
