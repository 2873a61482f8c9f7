"""A site in real processes: its own SQLite file, its own Redis, workers that a test may kill."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import redis

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 120.0


class LiveSite:
    """Commands and workers that share one data folder and one Redis. `stop` ends all of them."""

    prefix: tuple[str, ...] = ()  # of every command

    def __init__(self, folder: Path, redis_url: str) -> None:
        self.folder = folder
        self.redis = redis.Redis.from_url(redis_url)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("DATABASE")},
            "CONCUR_DATA_DIR": str(folder),
            "REDIS_URL": redis_url,
            "CONCUR_LEASE_SECONDS": "5",
            "CONCUR_SWEEP_SECONDS": "1",
            "PYTHONPATH": str(ROOT),
        }
        self.started: list[subprocess.Popen[bytes]] = []

    # --- processes ---

    def start(self, *arguments: str, name: str, **environment: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [*self.prefix, sys.executable, *arguments],
                cwd=ROOT,
                env={**self.environment, **environment},
                stdout=log,
                stderr=log,
            )
        self.started.append(process)
        return process

    def start_worker(self, *options: str, redis_url: str = "") -> subprocess.Popen[bytes]:
        address = {"REDIS_URL": redis_url} if redis_url else {}
        return self.start(
            "-m", "tests.verify.stand_in", str(self.runs_file), *options, name="worker", **address
        )

    def start_engine_worker(self) -> subprocess.Popen[bytes]:
        """Start the real worker, as `make worker` does."""
        return self.start("manage.py", "worker", name="worker")

    def start_site_worker(self) -> subprocess.Popen[bytes]:
        return self.start("manage.py", "sweep", name="site")

    def stop(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self.prefix, sys.executable, *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(self, *kernels: str) -> list[str]:
        """Store one sample per kernel and request their verification; return the ids of the rows."""
        return json.loads(self.run("-m", "tests.verify.site_hand", "ask", *kernels))

    # --- what happened ---

    @property
    def runs_file(self) -> Path:
        return self.folder / "runs.txt"

    def runs(self) -> list[tuple[str, int]]:
        """Return (verification, attempt) of every run that a bench began."""
        lines = self.runs_file.read_text().splitlines() if self.runs_file.exists() else []
        return [(line.split()[0], int(line.split()[1])) for line in lines]

    def rows(self, table: str = "datasets_app_verification") -> list[dict[str, Any]]:
        database = sqlite3.connect(self.folder / "concur.sqlite3", timeout=30)
        database.row_factory = sqlite3.Row
        try:
            return [dict(row) for row in database.execute(f"select * from {table}")]
        finally:
            database.close()

    def states(self) -> list[str]:
        return [row["outcome"] or row["state"] for row in self.rows()]

    def wait_for(self, condition: Callable[[], Any], what: str, seconds: float = PATIENCE_SECONDS) -> Any:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := condition():
                return found
            time.sleep(0.05)
        raise AssertionError(f"{what} did not happen; the rows: {self.rows()}\n{self.logs()}")

    def logs(self) -> str:
        return "\n".join(f"== {path.name}\n{path.read_text()}" for path in self.folder.glob("*.log"))

    def programs_that_logged(self, words: str) -> set[str]:
        return {path.stem for path in self.folder.glob("*.log") if words in path.read_text()}
