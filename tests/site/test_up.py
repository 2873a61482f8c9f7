"""Tests of `make run` as a person sees it: it starts everything, prints its address, leaves nothing over."""

import os
import socket

import pytest

from tests.live import LiveSite, SiteAlone, prepare_folder, wait_until

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("live")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return prepare_folder(tmp_path_factory.mktemp("up"))


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_it_starts_a_redis_the_site_a_worker_and_the_sweeper_and_stops_them_all(folder):
    with LiveSite(folder, CONCUR_DEMO="0") as live:
        assert b'"ok"' in live.get("/healthz")
        children = live.children()
        assert {"redis", "site-1", "worker", "sweeper"} <= set(children)
    assert live.process.returncode == 0
    said = "\n".join(live.output)
    assert "is killed" not in said, f"each stops when told, the worker in its self-test too:\n{said}"
    wait_until(lambda: not any(alive(pid) for pid in children.values()), "the end of all of them")


def test_a_taken_port_is_a_sentence_that_says_what_to_do(folder):
    site = LiveSite(folder)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", site.port))
        taken.listen()
        done = site.manage("up")
    assert done.returncode == 1
    assert f"Port {site.port} is taken by" in done.stderr
    assert f"(process {os.getpid()})" in done.stderr, "it names who holds the port"
    assert f"CONCUR_PORT={site.port + 1}" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_redis_that_does_not_answer_is_a_sentence(folder, tmp_path):
    site = LiveSite(folder, REDIS_URL=f"unix://{tmp_path}/none.sock")
    done = site.manage("up")
    assert done.returncode == 1
    assert "REDIS_URL names a Redis that does not answer" in done.stderr


@pytest.mark.long
def test_a_one_time_password_is_printed_once(tmp_path):
    site = SiteAlone(tmp_path, CONCUR_DEMO="0", CONCUR_ADMIN_PASSWORD="")
    with site:
        password = site.wait_for(r"with the password\s+(\S+)").group(1)
    assert len(password) >= 12
    again = SiteAlone(tmp_path, CONCUR_DEMO="0", CONCUR_ADMIN_PASSWORD="")
    with again:
        assert not any("with the password" in line for line in again.output)


def test_doctor_says_what_the_machine_has(folder):
    done = LiveSite(folder).manage("doctor")
    assert "database  ok" in done.stdout
    assert "bytes" in done.stdout or " GB free" in done.stdout
