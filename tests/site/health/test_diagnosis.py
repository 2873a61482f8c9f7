"""Tests that doctor says what is wrong and what to do: parts, tables, clocks, versions, sandbox, compiler, CUDA."""

import os
import stat
import time

import pytest
from django.db import connection

from concur_site.health import checks, diagnosis, machine
from concur_site.health.part import Part, Status
from concur_site.health.report import Report
from eval_app.models import Host
from tests.operations import site

pytestmark = pytest.mark.django_db


def report_of(**statuses):
    parts = {name: Part() for name in ("database", "broker", "disk", "workers")}
    return Report(parts | {name: Part(status, "It is away.") for name, status in statuses.items()})


def sentences(found):
    return " | ".join(problem.sentence for problem in found)


@pytest.mark.parametrize(
    ("name", "own_redis", "words"),
    [
        ("disk", True, "make room on the disk"),
        ("broker", True, "make run"),
        ("broker", False, "redis-cli -u"),
        ("workers", True, "manage.py sweep"),
    ],
)
def test_every_part_that_is_not_well_has_a_remedy(settings, name, own_redis, words):
    settings.HAS_OWN_REDIS = own_redis
    [problem] = diagnosis.remedies(report_of(**{name: Status.DEGRADED}))
    assert words in problem.sentence
    assert not problem.fatal


def test_a_database_that_is_away_is_fatal_and_asked_nothing_more(django_assert_num_queries):
    with django_assert_num_queries(0):
        [problem] = diagnosis.problems(report_of(database=Status.FAILED, broker=Status.DEGRADED))[:1]
    assert problem.fatal
    assert ("psql" if connection.vendor == "postgresql" else "can be written") in problem.sentence


def test_tables_of_an_older_version_are_a_fault(monkeypatch):
    monkeypatch.setattr(checks, "_tables_are_current", False)
    monkeypatch.setattr(checks.MigrationExecutor, "migration_plan", lambda self, targets: ["one"])
    [problem] = diagnosis.tables()
    assert problem.fatal
    assert "manage.py migrate" in problem.sentence


def test_a_hosts_clock_that_is_off_is_named_with_what_to_do():
    site.host("right")
    site.host("late", sequence=int((time.time() - 120) * 1_000_000))
    [problem] = diagnosis.clocks()
    assert "The clock of host late is 11" in problem.sentence
    assert "s behind this machine's: set both by NTP" in problem.sentence


@pytest.mark.parametrize(("ahead", "words"), [(0, ""), (-3, ""), (60, "60 s ahead of"), (-60, "60 s behind")])
def test_the_brokers_clock_is_compared(monkeypatch, ahead, words):
    class Broker:
        def time(self):
            return int(time.time() + ahead), 500_000

    monkeypatch.setattr(diagnosis, "client", Broker)
    found = sentences(diagnosis.broker_clock())
    assert words in found if words else found == ""


def test_hosts_of_another_version_are_named():
    site.host("old", versions={"engine": "0.9.0"})
    site.host("new", versions={"engine": "999.0.0"})
    assert "Host old is refused: its engine is 0.9.0" in sentences(diagnosis.versions())
    assert "Host new is refused" in sentences(diagnosis.versions())
    assert "upgrade the site first" in sentences(diagnosis.versions())


def test_a_host_that_the_site_refuses_is_named_with_the_reason():
    site.host("gpu-7")
    Host.objects.update(refusal="its key is revoked")
    assert sentences(diagnosis.versions()) == "Host gpu-7 is refused: its key is revoked"


def test_a_check_that_breaks_stops_no_other(monkeypatch):
    monkeypatch.setattr(diagnosis.hosts, "states", lambda: 1 / 0)
    found = sentences(diagnosis.problems(report_of(broker=Status.DEGRADED)))
    assert "The check of clocks failed: ZeroDivisionError" in found
    assert "The check of versions failed" in found


# --- programs that are there and do not work ---


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Return a function that puts a program of this name on the PATH, alone."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def put(name, *lines):
        path = tmp_path / name
        path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    return put


def test_a_sandbox_that_the_kernel_forbids_is_explained(programs):
    assert list(machine.try_sandbox()) == []  # that it is missing is said elsewhere
    programs("bwrap", "exit 0")
    assert list(machine.try_sandbox()) == []
    programs("bwrap", "echo 'bwrap: No permissions to create new namespace' >&2", "exit 1")
    text = sentences(machine.try_sandbox())
    assert "No permissions to create new namespace" in text
    assert "sysctl kernel.unprivileged_userns_clone=1" in text


def test_a_compiler_without_its_library_is_explained(programs):
    programs("g++", "echo 'fatal error: vector: No such file' >&2", "exit 1")
    text = sentences(machine.try_compiler())
    assert "fatal error: vector" in text
    assert "apt-get install g++" in text


def test_a_program_that_hangs_is_ended(programs, monkeypatch):
    monkeypatch.setattr(machine, "TRY_SECONDS", 0.2)
    programs("g++", "exec /bin/sleep 60")
    assert "it did not end within 0 s" in sentences(machine.try_compiler())


def test_cuda_is_tried_where_there_is_a_gpu(programs, monkeypatch):
    monkeypatch.setattr(machine, "CUDA_FOLDERS", ())
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.setattr(os.path, "exists", lambda path: False)
    assert list(machine.try_cuda()) == []
    monkeypatch.setattr(os.path, "exists", lambda path: True)
    text = sentences(machine.try_cuda())
    assert "no nvidia-smi" in text
    assert "no nvcc" in text
    programs("nvidia-smi", "echo 'Driver/library version mismatch'", "exit 9")
    programs("nvcc", "exit 0")
    assert sentences(machine.try_cuda()).startswith(
        "The NVIDIA driver does not answer (Driver/library version mismatch)"
    )
    programs("nvidia-smi", "echo 'NVIDIA H200, 570.1'")
    assert list(machine.try_cuda()) == []


def test_the_real_compiler_and_sandbox_of_this_machine_are_tried():
    assert machine.fault_of(["true"]) == ""
    assert machine.fault_of(["false"]) == "it ended with status 1"
    assert "No such file" in machine.fault_of(["/none/such"])
