"""Tests of `manage.py doctor`: it recognises a running site; a port in use by anything else is a fault."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from concur_site.health import machine, probe, report
from concur_site.up import checks

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def this_machine(monkeypatch, settings, tmp_path):
    """Check only the port: other tests cover what else the machine lacks."""
    monkeypatch.setattr(checks, "CHECKS", [checks.check_port])
    monkeypatch.setattr(machine, "problems", list)
    monkeypatch.setattr(report, "probes", report.fresh_probes())
    settings.REDIS_URL = f"unix://{tmp_path}/none.sock"


def doctor() -> str:
    said = StringIO()
    call_command("doctor", stdout=said)
    return said.getvalue()


@contextmanager
def program_that_answers(text: bytes):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_beside_the_running_site_it_says_so_and_finds_no_fault(live_server, settings, client):
    client.get("/health/live")  # imports every page, which takes seconds on a busy machine
    settings.PORT = int(live_server.url.rsplit(":", 1)[1])
    settings.ALLOWED_HOSTS = ["localhost"]
    said = doctor()
    assert f"site      runs on port {settings.PORT}" in said
    assert "\nfault" not in said


@pytest.mark.parametrize(
    "text",
    [
        b"<html>another program",
        b'{"status": "ok"}',
        b"[1]",
        json.dumps({"site": "concur-workbench 0123456789abcdef"}).encode(),  # another data folder's
        b"",
    ],
)
def test_a_port_that_something_else_has_stays_a_fault(settings, text):
    with program_that_answers(text) as settings.PORT:
        said = StringIO()
        with pytest.raises(CommandError, match="problems above"):
            call_command("doctor", stdout=said)
    assert f"Port {settings.PORT} is taken by " in said.getvalue()


def test_without_a_site_it_says_what_it_finds_by_itself(settings):
    with program_that_answers(b"") as port:
        settings.PORT = port
    said = doctor()  # the program has ended, so the port is free
    assert "does not run" in said
    assert "where it runs on another, set CONCUR_PORT" in said
    assert "database  ok" in said
    assert " free; The data folder is " in said


def test_a_database_that_is_away_is_a_fault(settings, monkeypatch):
    def away():
        raise OSError("no route")

    monkeypatch.setitem(report.probes, "database", report.Probe("database", away))
    with pytest.raises(CommandError):
        doctor()


def test_the_site_is_asked_by_a_name_that_it_goes_by(settings):
    settings.ALLOWED_HOSTS = [".example.org"]
    settings.SECURE_SSL_REDIRECT = True
    assert probe.headers() == {"Host": "example.org", "X-Forwarded-Proto": "https"}
