"""Tests how a second machine joins a run's own broker: one variable, one command, and the line that it prints."""

import os
import re
import subprocess
import sys

import pytest
import redis

from concur_site.broker_access import BrokerAccess, broker_access
from tests.live import ROOT, wait_until
from tests.site.conftest import NOTHING_FOUND

LINE = re.compile(r"^CONCUR_HOST_KEY=(\S+) REDIS_URL=(\S+) make worker$", re.MULTILINE)


@pytest.fixture
def site(whole_run):
    """Return the run as a second terminal has it, which does not know where its Redis listens."""
    listen = whole_run.environment.pop("CONCUR_BROKER_LISTEN")
    yield whole_run, listen
    whole_run.environment["CONCUR_BROKER_LISTEN"] = listen


def error_of(url):
    try:
        redis.Redis.from_url(url, socket_timeout=5).ping()
    except redis.RedisError as error:
        return str(error)
    return ""


@pytest.mark.engine
@pytest.mark.xdist_group("live")
def test_the_printed_line_starts_a_worker_elsewhere_until_its_host_is_revoked(site, tmp_path):
    site, listen = site
    assert "authenticated" in error_of(f"redis://{listen}/0")
    added = site.manage("host", "add", "gpu-7")
    key, url = LINE.search(added.stderr).groups()
    assert key == added.stdout.strip()
    assert url.endswith(f"@{listen}/0")
    assert "no permissions" in str(refused(url)).lower()
    worker = start_worker(key, url, tmp_path / "elsewhere")
    try:
        wait_until(lambda: "gpu-7" in site.hosts_seen(), "its announcement")
    finally:
        worker.terminate()
        worker.wait(timeout=60)
    assert (site.folder / "broker-access").stat().st_mode & 0o777 == 0o600
    assert site.manage("host", "revoke", "gpu-7").returncode == 0
    assert "invalid username-password pair" in error_of(url)
    listed = site.manage("host", "list").stdout.splitlines()
    [local] = [line for line in listed if not line.startswith("gpu-7")]
    assert "never seen" not in local, "this machine's own worker is connected by the socket"
    assert "never seen" not in next(line for line in listed if line.startswith("gpu-7"))


def refused(url):
    with pytest.raises(redis.ResponseError) as error:
        redis.Redis.from_url(url).execute_command("ACL", "LIST")
    return error.value


def start_worker(key, url, folder):
    folder.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CONCUR_")}
    own = {"CONCUR_HOST_KEY": key, "REDIS_URL": url, "CONCUR_DATA_DIR": str(folder)}
    return subprocess.Popen(
        [sys.executable, "-m", "eval_app.host"],
        cwd=ROOT,
        env={**environment, **own, "PATH": NOTHING_FOUND},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def test_without_the_variable_there_is_a_socket_alone(tmp_path):
    access = broker_access(tmp_path, "")
    assert access == BrokerAccess()
    assert access.site_url(tmp_path / "redis.sock") == f"unix://{tmp_path}/redis.sock"
    assert not list(tmp_path.iterdir())


def test_a_new_address_keeps_the_password_and_one_for_all_networks_names_the_machine(tmp_path):
    first = broker_access(tmp_path, "10.0.0.5:6379")
    assert len(first.password) > 30
    assert broker_access(tmp_path, "") == first
    second = broker_access(tmp_path, "0.0.0.0:6380")
    assert second.password == first.password
    assert second.address.endswith(":6380")
    assert not second.address.startswith("0.0.0.0")
