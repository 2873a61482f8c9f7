import shutil
import subprocess
import sys

import pytest
import redis
from celery import current_app

from datasets_app.accounts.actor import COMMAND
from datasets_app.broker import client as broker_client
from eval_app.broker.celery_app import make_app
from eval_app.host.key import FILE
from eval_app.request.verify import request_verification
from tests.factories import make_sample
from tests.once import made_once
from tests.redis_server import running_redis
from tests.verify.host_hand import HostHand
from tests.verify.processes import ROOT, LiveSite


@pytest.fixture(scope="session")
def migrated():
    """Return a data folder with an empty, migrated SQLite file and the key of one host, to copy from."""
    return made_once("migrated", migrate)


def migrate(folder):
    site = LiveSite(folder, "unix:///nowhere")
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--skip-checks", "-v", "0"],
        cwd=ROOT,
        env=site.environment,
        check=True,
    )
    (folder / FILE).touch(mode=0o600)
    (folder / FILE).write_text(site.run("manage.py", "host", "add", "gpu-7"))


@pytest.fixture
def live_site(tmp_path, migrated):
    """Start a site of real processes with a Redis of its own, which a test may flush."""
    shutil.copytree(migrated, tmp_path / "data")
    with running_redis() as url:
        site = LiveSite(tmp_path / "data", url)
        yield site
        site.stop()


@pytest.fixture
def broker(redis_url, settings):
    """Return a real, empty Redis to which this process sends its messages."""
    settings.REDIS_URL = redis_url
    site = current_app._get_current_object()
    make_app(redis_url).set_current()
    broker_client.cache_clear()
    client = redis.Redis.from_url(redis_url)
    client.flushall()
    yield client
    site.set_current()
    broker_client.cache_clear()


@pytest.fixture
def host(db):
    """Return a host that the site knows, whose messages a test sends."""
    return HostHand()


@pytest.fixture
def other(db):
    """Return a second host."""
    return HostHand("gpu-8")


@pytest.fixture
def row(broker, db):
    """Return a verification that is queued for a GPU."""
    return request_verification([make_sample()], device="cuda", actor=COMMAND)[0]
