"""Tests of a run's processes, by pid: stuck or killed ones are replaced, and stopped ones are gone."""

import http.client
import os
import signal
import socket
from pathlib import Path

import pytest

from concur_site.up import listener
from tests.live import PATIENCE_SECONDS, LiveSite, SiteAlone, prepare_folder, wait_until

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("live")]
SITE = {"CONCUR_DEMO": "0", "CONCUR_SITE_PROCESSES": "2"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return prepare_folder(tmp_path_factory.mktemp("processes"))


class StuckSite(SiteAlone):
    program = ("-m", "tests.site.stuck_site")


def descendants(pid: int) -> set[int]:
    """Return the process and all its descendants, in any session or group."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(path.parent.name))
    found, todo = set(), [pid]
    while todo:
        found.add(todo[-1])
        todo.extend(children.get(todo.pop(), []))
    return found


def alive(pids: set[int]) -> set[int]:
    def is_alive(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    return {pid for pid in pids if is_alive(pid)}


def health(port: int) -> int:
    """Return the status as a browser gets it: one connection that is lost with a process is retried."""
    for left in (1, 0):
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        try:
            line.request("GET", "/healthz")
            return line.getresponse().status
        except ConnectionError:
            if not left:
                raise
        finally:
            line.close()
    raise AssertionError


def test_killed_programs_leave_nothing_behind_and_neither_does_a_killed_run(folder):
    """Site, sweeper, worker with its sandboxes, Redis: each is replaced, and all end with their supervisor."""
    with LiveSite(folder, **SITE) as live:
        for name in ("worker", "sweeper"):
            pid = live.children()[name]
            if name == "worker":
                wait_until(lambda pid=pid: len(descendants(pid)) > 1, "the engine's processes")
            family = descendants(pid)
            os.kill(pid, signal.SIGKILL)
            live.wait_for(f"{name} ended with status -9")
            wait_until(lambda family=family: not alive(family), f"the end of all of {name}")
        wait_until(lambda: {"worker", "sweeper"} <= set(live.children()), "their successors")

        run, site = descendants(live.process.pid), {live.children()[name] for name in ("site-1", "site-2")}
        os.kill(live.process.pid, signal.SIGKILL)
        live.process.wait()
        wait_until(lambda: not alive(site), "the end of the site")
        wait_until(lambda: listener.is_free(live.port), "a free port")
        wait_until(lambda: not alive(run), "the end of everything")


@pytest.mark.long
def test_a_killed_site_process_is_replaced_while_the_other_answers(folder):
    with SiteAlone(folder, **SITE) as live:
        before = live.children()["site-1"]
        os.kill(before, signal.SIGKILL)
        wait_until(lambda: not alive({before}), "its end")
        assert health(live.port) == 200
        wait_until(lambda: live.children().get("site-1") not in (None, before), "its successor")
        assert len({*live.children().values()}) == 2


@pytest.mark.long
def test_a_stuck_site_process_is_replaced_while_the_other_answers(folder):
    """Once in C code that holds the interpreter's lock, once in a request that never ends. The log says where."""
    limits = {"CONCUR_STALL_SECONDS": "8", "CONCUR_REQUEST_SECONDS": "8"}
    with StuckSite(folder, **SITE, **limits) as live:
        for how, log in {"in-c": "in stuck$", "in-python": r"'GET /stuck/' has run for \d+ s"}.items():
            before = live.children()
            with socket.create_connection(("127.0.0.1", live.port)) as line:
                line.sendall(f"GET /stuck/?{how} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
                line.settimeout(PATIENCE_SECONDS)
                for _ in range(10):
                    assert health(live.port) == 200
                assert is_closed(line)
            live.wait_for(log)
            wait_until(lambda before=before: replaced(before, live.children()) >= 1, "its successor")


def is_closed(line: socket.socket) -> bool:
    try:
        return line.recv(1) == b""
    except ConnectionResetError:
        return True


def replaced(before: dict[str, int], now: dict[str, int]) -> int:
    """Return how many processes have a successor; 0 while one of them is missing."""
    return len(set(now.values()) - set(before.values())) if set(now) == set(before) else 0


def test_a_run_behind_a_proxy_is_found_ready_and_finishes_what_runs_when_it_is_stopped(folder):
    """It answers to a public name over TLS only, so its own health check must look like the proxy's."""
    proxy = {"CONCUR_HOSTS": "workbench.example.org", "CONCUR_TLS": "1"}
    with (
        SiteAlone(folder, **SITE, **proxy) as live,
        socket.create_connection(("127.0.0.1", live.port)) as line,
    ):
        line.settimeout(PATIENCE_SECONDS)
        head = b" HTTP/1.1\r\nHost: workbench.example.org\r\nX-Forwarded-Proto: https\r\n"
        line.sendall(b"GET /healthz" + head + b"\r\n")
        answer = line.recv(65536)
        while b"ok" not in answer.rsplit(b"\r\n\r\n")[-1]:
            answer += line.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200")
        line.sendall(b"POST /accounts/login/" + head + b"Content-Length: 5\r\n\r\n12")
        live.process.send_signal(signal.SIGTERM)
        live.wait_for("stopping")
        line.sendall(b"345")
        assert line.recv(12) == b"HTTP/1.1 403"
        assert live.process.wait(timeout=PATIENCE_SECONDS) == 0
    assert "is killed" not in "\n".join(live.output)
