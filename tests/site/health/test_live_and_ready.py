"""Tests of /health/live and /health/ready: the first asks nothing, the second what a request needs."""

import threading
import time

import pytest

from concur_site.health import checks, report
from concur_site.health.part import Part

pytestmark = pytest.mark.django_db(transaction=True)
SITES_OWN_DEADLINE_S = report.DEADLINE_SECONDS


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Discard answers cached by an earlier test."""
    monkeypatch.setattr(report, "probes", report.fresh_probes())
    monkeypatch.setattr(report, "tables_probe", report.Probe("tables", checks.tables))
    monkeypatch.setattr(report, "DEADLINE_SECONDS", 20.0)  # on a busy machine a thread may wait
    monkeypatch.setattr(checks, "_tables_are_current", False)


def test_live_asks_no_database_even_of_somebody_signed_in(reader, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = reader.get("/health/live")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert answer["Cache-Control"] == "no-store"


def test_ready_is_200_without_broker_and_workers(client):
    answer = client.get("/health/ready")
    assert answer.status_code == 200, answer.content
    assert answer.json() == {"status": "ready", "database": "ok", "disk": "ok", "tables": "ok"}


@pytest.mark.parametrize("name", ["database", "disk"])
def test_ready_is_503_without_a_part_that_requests_need(client, monkeypatch, name):
    def broken():
        raise OSError("postgres://site:secret@db.example/site")

    monkeypatch.setitem(report.probes, name, report.Probe(name, broken))
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["status"]) == (503, "not ready")
    assert answer.json()[name] == f"The {name} check failed."


def test_ready_is_503_until_the_tables_are_those_of_this_version(client, monkeypatch):
    plans = [["a migration that is not applied"], []]
    monkeypatch.setattr(checks.MigrationExecutor, "migration_plan", lambda self, targets: plans.pop(0))
    monkeypatch.setattr(report, "KEPT_SECONDS", 0.0)
    answers = [client.get("/health/ready") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [503, 200, 200]
    assert "manage.py migrate" in answers[0].json()["tables"]
    assert plans == []  # not asked a third time


def test_ready_takes_less_than_two_seconds_while_the_database_hangs(client, monkeypatch):
    released = threading.Event()
    monkeypatch.setitem(
        report.probes, "database", report.Probe("database", lambda: released.wait(60) and Part())
    )
    monkeypatch.setattr(report, "DEADLINE_SECONDS", SITES_OWN_DEADLINE_S)
    assert SITES_OWN_DEADLINE_S < 2
    started = time.monotonic()
    try:
        answer = client.get("/health/ready")
    finally:
        released.set()
    assert answer.status_code == 503
    assert time.monotonic() - started < 30, "it waited for the database"
