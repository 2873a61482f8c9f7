"""Tests of the site's port, and of the message about the program that holds it."""

import os
import subprocess
import sys

from concur_site.up import checks, listener

HOLD_A_PORT = """
import socket, sys
held = socket.create_server(("127.0.0.1", 0))
print(held.getsockname()[1], flush=True)
sys.stdin.read()
"""


def test_who_holds_a_port_is_named_by_program_and_process(settings):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD_A_PORT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        port = settings.PORT = int(other.stdout.readline())
        assert not listener.is_free(port)
        assert listener.holder(port).endswith(f"(process {other.pid})")
        (problem,) = checks.check_port()
        assert (
            f"Port {port} is taken by {listener.holder(port)}: stop it, or choose another port"
            in problem.sentence
        )
        assert problem.fatal
        other.stdin.close()


def test_a_holder_that_cannot_be_seen_is_another_program(settings, monkeypatch):
    with listener.bind(0) as mine:
        settings.PORT = mine.getsockname()[1]
        assert f"(process {os.getpid()})" in checks.port_is_taken()
        monkeypatch.setattr(listener, "sockets_on", lambda port: [])
        assert f"Port {settings.PORT} is taken by another program" in checks.port_is_taken()


def test_a_free_port_is_no_problem(settings):
    with listener.bind(0) as mine:
        settings.PORT = mine.getsockname()[1]
    assert listener.is_free(settings.PORT)
    assert list(checks.check_port()) == []
