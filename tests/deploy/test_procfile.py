"""Runs deploy/Procfile as a box with a runner of Procfiles does: prepared once, then all of its programs at once."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from concur_site.up.processes import Program
from concur_site.up.supervise import Supervised
from tests.live import ROOT, LiveSite, wait_until

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("live")]


def programs() -> list[Program]:
    found = re.findall(r"^(\w+): (.*)$", (ROOT / "deploy" / "Procfile").read_text(), re.MULTILINE)
    return [Program(name, "", [sys.executable, *shlex.split(command)[1:]]) for name, command in found]


@pytest.mark.long
def test_one_box_runs_from_the_procfile(tmp_path, monkeypatch):
    site = LiveSite(tmp_path / "data", CONCUR_DEMO="0")
    monkeypatch.chdir(ROOT)
    for name in ("REDIS_URL", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in site.environment.items():
        monkeypatch.setenv(name, value)
    prepared = site.manage("prepare")
    assert prepared.returncode == 0, prepared.stderr
    output: list[str] = []
    running = [Supervised(program, tmp_path, output.append) for program in programs()]
    assert [one.program.name for one in running] == ["broker", "site", "sweeper", "worker"]
    try:
        for one in running:
            one.start()
        wait_until(lambda: any("ready in" in line for line in output), "the site")
        wait_until(lambda: b'"ok"' in site.get("/healthz"), "a well site")
        wait_until(site.hosts_seen, "the worker's announcement through broker and site worker")
        assert all(one.is_running for one in running), output
    finally:
        for one in reversed(running):
            one.stop()


def test_the_broker_command_leaves_a_broker_of_somebody_else_alone(tmp_path):
    done = subprocess.run(
        [sys.executable, "manage.py", "broker"],
        cwd=ROOT,
        env={**os.environ, "CONCUR_DATA_DIR": str(tmp_path), "REDIS_URL": "redis://:pw@elsewhere:6379/0"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "somebody else runs" in done.stderr
