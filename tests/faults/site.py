"""A site in real processes, each of which can be killed, stopped and started again by name."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import redis
from psycopg.rows import dict_row

from concur_site import redis_server
from concur_site.server.board import new_board
from concur_site.up import listener, processes
from tests.live import free_port
from tests.verify.processes import PATIENCE_SECONDS, LiveSite

HTTP_SECONDS = 10.0


class FaultySite:
    """Redis, the server, the site's own worker and a verifying one, on one data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "redis.sock"
        self.redis_url = f"unix://{self.socket}"
        self.port = free_port()
        self.rows = LiveSite(folder, self.redis_url)
        self.redis = redis.Redis.from_url(self.redis_url, socket_timeout=2, socket_connect_timeout=2)
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.token = ""

    def command(self, name: str, descriptor: int = 0, board: int = 0) -> list[str]:
        return {
            "redis": redis_server.command(self.folder, self.socket, frozenset({"FLUSHALL"})),
            "site": processes.site(descriptor, board)[0].command,
            "sweeper": [sys.executable, "manage.py", "sweep"],
            "worker": verifying_worker(self.rows.runs_file),
        }[name]

    # --- processes ---

    def start(self, name: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log, contextlib.ExitStack() as stack:
            # Only the server holds its socket: while it is dead, connections are refused at once.
            sockets = [stack.enter_context(listener.bind(self.port))] if name == "site" else []
            descriptors = [one.fileno() for one in sockets]
            if sockets:
                descriptors.append(new_board())
                stack.callback(os.close, descriptors[-1])
            self.running[name] = subprocess.Popen(
                self.command(name, *descriptors),
                pass_fds=descriptors,
                cwd=Path(__file__).resolve().parents[2],
                env=self.rows.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,  # all its children end with it
            )
        if name == "redis":
            redis_server.wait_until_ready(self.running[name], self.redis_url)

    def kill(self, name: str) -> None:
        """Send SIGKILL, without notice."""
        process = self.running.pop(name, None)
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def send(self, name: str, number: int) -> None:
        os.killpg(self.running[name].pid, number)

    def start_all(self) -> None:
        for name in ("redis", "site", "sweeper", "worker"):
            if name not in self.running or self.running[name].poll() is not None:
                self.start(name)
        self.wait_for(lambda: self.ask("GET", "/healthz")[0] == 200, "the site answers")

    def stop(self) -> list[int]:
        """End everything; return the process groups with surviving processes."""
        groups = [process.pid for process in self.running.values()]
        for name in list(self.running):
            self.kill(name)
        deadline = time.monotonic() + PATIENCE_SECONDS  # another process reaps a killed leader's children
        while any(is_alive(group) for group in groups) and time.monotonic() < deadline:
            time.sleep(0.05)
        return [group for group in groups if is_alive(group)]

    def hand(self, verb: str) -> Any:
        return json.loads(self.rows.run("-m", "tests.faults.hand", verb))

    # --- requests ---

    def ask(self, method: str, path: str, data: Any = None) -> tuple[int, Any]:
        """Return (status, JSON) of a request by token; status 0 if there was no answer."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        body = None if data is None else json.dumps(data).encode()
        return self.answer(urllib.request.Request(self.url(path), body, headers, method=method))

    def upload(self, name: str, rows: list[dict[str, Any]]) -> tuple[int, Any]:
        edge = uuid.uuid4().hex
        content = "".join(json.dumps(row) + "\n" for row in rows)
        head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": f"multipart/form-data; boundary={edge}",
        }
        body = f"{head}{content}\r\n--{edge}--\r\n".encode()
        return self.answer(urllib.request.Request(self.url("/api/v1/ingests/"), body, headers))

    def answer(self, request: urllib.request.Request) -> tuple[int, Any]:
        try:
            with urllib.request.urlopen(request, timeout=HTTP_SECONDS) as found:
                return found.status, json.load(found)
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except (OSError, ValueError):
            return 0, None

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def wait_for(self, condition: Callable[[], Any], what: str, seconds: float = PATIENCE_SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} did not happen\n{self.rows.logs()[-8000:]}")
            time.sleep(0.1)


class PostgresRows(LiveSite):
    """A live site whose rows are in PostgreSQL."""

    def __init__(self, folder: Path, redis_url: str, database_url: str) -> None:
        super().__init__(folder, redis_url)
        self.environment["DATABASE_URL"] = self.database_url = database_url

    def rows(self, table: str = "datasets_app_verification") -> list[dict[str, Any]]:
        with psycopg.connect(self.database_url) as connection:
            rows = connection.cursor(row_factory=dict_row).execute(f"select * from {table}").fetchall()
        return [{key: str(v) if isinstance(v, uuid.UUID) else v for key, v in row.items()} for row in rows]


def verifying_worker(runs_file: Path) -> list[str]:
    """Return the command of a worker with a stand-in bench; a host's keys and signatures belong here."""
    return [sys.executable, "-m", "tests.verify.stand_in", str(runs_file)]


def is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def site_on_postgres(folder: Path, database_url: str) -> FaultySite:
    """Return a site with its tables in that database and one host, `gpu-7`; nothing of it runs yet."""
    folder.mkdir()
    site = FaultySite(folder)
    site.rows = PostgresRows(folder, site.redis_url, database_url)
    site.rows.run("manage.py", "migrate", "-v", "0")
    (folder / "host-key").touch(mode=0o600)
    (folder / "host-key").write_text(site.rows.run("manage.py", "host", "add", "gpu-7"))
    return site
