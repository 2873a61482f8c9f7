"""A real site on loopback with a release, and clients of it."""

import pytest

from concur_client import Client
from datasets_app.accounts.actor import COMMAND
from datasets_app.export import publication
from datasets_app.export.finish import finish_files
from datasets_app.models import Release
from tests.clients.servers import Cutter
from tests.curate.store import BY_TASK, FIRST_PROGRAM, frozen, passed
from tests.factories import PROGRAM, make_task

SMALL = {"version": 1, "seed": 3, "device": "", "rules": [], "splits": {"train": 50, "test": 50}, **BY_TASK}


@pytest.fixture(autouse=True)
def no_site_of_the_environment(monkeypatch):
    """Keep the variables of a developer's own site out, and loopback away from any proxy."""
    for name in ("CONCUR_URL", "CONCUR_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture(autouse=True)
def no_backoff(monkeypatch):
    """Repeat at once; what a site asks to wait for is counted by the tests that are about it."""
    for module in ("download", "transport"):
        monkeypatch.setattr(f"concur_client.{module}.backoff_s", lambda attempt: 0.0)


@pytest.fixture
def export_folder(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path / "exports"
    return settings.EXPORT_DIR


@pytest.fixture
def release(live_server, transactional_db, export_folder) -> Release:
    """Return a public release with rows in two splits, the same ones each time."""
    for number in range(6):
        passed(make_task(PROGRAM.format(number=FIRST_PROGRAM + number)))
    made = frozen("first", SMALL)
    finish_files(made)
    publication.set_visibility(made, "public", actor=COMMAND)
    return made


@pytest.fixture
def client(live_server):
    with Client(live_server.url) as found:
        yield found


@pytest.fixture
def cutter(live_server):
    """A proxy before the site whose connections end early."""
    with Cutter(live_server.thread.port) as found:
        yield found
