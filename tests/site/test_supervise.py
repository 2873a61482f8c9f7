"""Tests that the rest of a program's process group ends before a restart, and when it is stopped."""

import errno
import io
import sys

import pytest

from concur_site.up import supervise
from concur_site.up.processes import Program
from concur_site.up.supervise import Supervised
from tests.site.test_processes import alive, wait_until

LEAVES_A_PROCESS = """
import subprocess, sys
left = subprocess.Popen(["sleep", "600"])
with open(sys.argv[1], "a") as file:
    file.write(f"{left.pid}\\n")
"""


def test_what_a_program_leaves_behind_is_killed(tmp_path):
    pids = tmp_path / "pids"
    pids.touch()

    def left() -> list[int]:
        return [int(line) for line in pids.read_text().split()]

    program = Program("leaver", "leaves a process", [sys.executable, "-c", LEAVES_A_PROCESS, str(pids)])
    supervised = Supervised(program, tmp_path, lambda _: None)
    supervised.start()
    try:
        wait_until(lambda: not supervised.is_running, "its end")
        assert alive(set(left())) == set(left()) != set()
        supervised.keep_running()
        wait_until(lambda: not alive({left()[0]}), "the end of what it left")
        wait_until(lambda: len(left()) == 2 and not supervised.is_running, "its second end")
    finally:
        supervised.stop()
    wait_until(lambda: not alive(set(left())), "the end of what it left again")


def test_a_machine_that_cannot_start_a_process_now_is_asked_again_and_the_others_go_on(tmp_path, monkeypatch):
    said: list[str] = []
    supervised = Supervised(Program("one", "ends", [sys.executable, "-c", ""]), tmp_path, said.append)
    monkeypatch.setattr(supervise, "START_AGAIN_SECONDS", 0.0)

    def no_memory(*_, **__):
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    with monkeypatch.context() as starved:
        starved.setattr(supervise.subprocess, "Popen", no_memory)
        supervised.keep_running()
    assert "one could not be started (Cannot allocate memory)" in said[-1]
    try:
        supervised.keep_running()
        assert supervised.process is not None
    finally:
        supervised.stop()


@pytest.mark.parametrize(
    ("line", "is_shown"),
    [
        ("2026-11-28 10:00:00,000 INFO    eval_app.queue.dispatch: Sent to verify.cpu [job=3f2a]", False),
        ("2026-11-28 10:00:00,000 INFO    x: Sent [request=ab job=3f2a]", False),
        ("2026-11-28 10:00:00,000 WARNING eval_app.queue.dispatch: Not sent [job=3f2a]", True),
        ("2026-11-28 10:00:00,000 INFO    x: Ready [request=ab]", True),
        ("a line of no log [job=3f2a]", True),
        (
            "7:M 29 Nov 2026 05:23:36.575 # <lua> Unable to determine 'lua-enable-insecure-api' configuration value: "
            "ERR unknown command 'CONFIG', with args beginning with: 'GET'",
            False,
        ),
        ("", False),
        ("7:M 29 Nov 2026 05:23:36.575 # ERR unknown command 'CONFIG'", True),
    ],
)
def test_what_is_logged_of_a_single_job_is_in_the_file_and_not_on_the_terminal(line, is_shown, tmp_path):
    shown: list[str] = []
    program = Program("talker", "prints", [sys.executable, "-c", f"print({line!r})"])
    supervised = Supervised(program, tmp_path, shown.append)
    supervised.drain(io.BytesIO(line.encode() + b"\n"))
    assert (tmp_path / "talker.log").read_text() == line + "\n"
    assert (shown == [f"talker  | {line}"]) == is_shown
