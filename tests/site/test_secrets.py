"""Tests that no password or key appears in an error, a log, or a process that does not need it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from concur_site import env
from concur_site.up.environment import environment_for
from tests.live import PASSWORD, free_port, wait_until
from tests.site.conftest import SECRET_KEY

ROOT = Path(__file__).parents[2]
SECRET = "hunter2-is-secret"


def run(*command, **environment):
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "value",
    [
        f"mysql://ada:{SECRET}@host/name",
        f"//ada:{SECRET}@host",
        f"postgres://ada:{SECRET}/more@host/name",  # a slash in a password reads as a port
        f"redis://[{SECRET}",
    ],
)
def test_a_bad_address_is_refused_without_repeating_it(monkeypatch, value):
    monkeypatch.setenv("DATABASE_URL", value)
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL") as refused:
        env.url("DATABASE_URL", "", ("sqlite", "postgres"))
    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


@pytest.mark.parametrize(
    "environment",
    [
        # The same sentence as of the next, which the test above sees of both.
        pytest.param({"DATABASE_URL": f"mysql://ada:{SECRET}@host/name"}, marks=pytest.mark.long),
        {"DATABASE_URL": f"postgres://ada:{SECRET}/x@host/name"},
        {"DATABASE_URL": f"postgres://ada:{SECRET}@127.0.0.1:1/name"},
        {"REDIS_URL": f"redis://:{SECRET}@127.0.0.1:1/0"},
        {"REDIS_URL": f"http://:{SECRET}@127.0.0.1:1/0"},
    ],
)
def test_doctor_and_its_tracebacks_name_no_password(environment, tmp_path):
    output = run("manage.py", "doctor", CONCUR_DATA_DIR=str(tmp_path), **environment)
    assert SECRET not in output
    assert output


@pytest.mark.parametrize("scheme", ["http", "redis"])
def test_a_worker_without_its_broker_names_no_password(scheme, tmp_path):
    program = (
        "import threading, os, eval_app.host.main as m; "
        "threading.Timer(6, lambda: os._exit(0)).start(); "
        "from eval_app.broker.celery_app import make_app, run_worker; import logging; logging.basicConfig(level=10); "
        "url = os.environ['REDIS_URL']; "
        "m.main(None) if url.startswith('http') else run_worker(make_app(url, fixups=[]), 'x', ['q'], 1)"
    )
    url = f"{scheme}://:{SECRET}@127.0.0.1:{free_port()}/0"
    output = run("-c", program, REDIS_URL=url, CONCUR_DATA_DIR=str(tmp_path))
    assert SECRET not in output
    assert "REDIS_URL" in output or "Cannot connect" in output


def test_the_runs_redis_gets_nothing_of_the_sites():
    given = {
        "PATH": "/bin",
        "LC_ALL": "C",
        "REDIS_URL": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "CONCUR_PORT": "1",
    }
    assert environment_for("redis", given) == {"PATH": "/bin", "LC_ALL": "C"}


def test_a_site_process_returns_memory_unless_the_environment_says_otherwise():
    assert environment_for("site-1", {})["MALLOC_ARENA_MAX"] == "2"
    assert environment_for("site-1", {"MALLOC_ARENA_MAX": "4"})["MALLOC_ARENA_MAX"] == "4"
    assert "MALLOC_ARENA_MAX" not in environment_for("worker", {})


@pytest.mark.parametrize("program", ["site", "worker", "sweeper"])
def test_no_program_of_a_run_gets_the_administrators_password(program):
    assert "CONCUR_ADMIN_PASSWORD" not in environment_for(program, {"CONCUR_ADMIN_PASSWORD": PASSWORD})


def test_only_the_site_gets_the_mail_servers_password():
    given = {"CONCUR_MAIL_URL": "smtp://user:password@mail.example.org"}
    got = [program for program in ("site-1", "worker", "sweeper", "redis") if environment_for(program, given)]
    assert got == ["site-1"]


@pytest.mark.parametrize(
    "name",
    [
        *("CONCUR_SECRET_KEY", "CONCUR_MAIL_URL", "CONCUR_ENDPOINTS", "CONCUR_ENDPOINT_KEYS"),
        *("CONCUR_S3_SECRET_KEY", "AWS_SECRET_ACCESS_KEY"),
    ],
)
def test_the_worker_gets_no_key_of_the_site(monkeypatch, name):
    started = {}
    monkeypatch.setenv(name, "a-secret")
    monkeypatch.setattr("os.chdir", lambda path: None)
    monkeypatch.setattr("os.execve", lambda program, arguments, environment: started.update(environment))
    call_command("worker")
    assert "CONCUR_DATA_DIR" in started
    assert name not in started


@pytest.mark.engine
@pytest.mark.xdist_group("live")
def test_the_processes_of_a_whole_run_hold_only_what_they_need(whole_run):
    # `manage.py worker` becomes the worker a moment after its start
    wait_until(lambda: "worker" in whole_run.children(), "the worker")
    held = {
        name: Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
        for name, pid in whole_run.children().items()
    }
    assert not [name for name, text in held.items() if PASSWORD in text]
    assert not [name for name in ("redis", "worker") if SECRET_KEY in held[name]]
    assert "CONCUR_" not in held["redis"]
    assert PASSWORD not in "\n".join(whole_run.output)
    logs = "".join(path.read_text(errors="replace") for path in (whole_run.folder / "logs").glob("*.log"))
    assert not re.search(f"{SECRET_KEY}|{PASSWORD}", logs)
