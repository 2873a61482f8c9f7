"""Fixtures for all tests: a separate data folder, plain static files, and the named cast."""

import atexit
import gc
import os
import shutil
import tempfile

if "CONCUR_DATA_DIR" not in os.environ:  # workers inherit the folder of the process that starts them
    os.environ["CONCUR_DATA_DIR"] = tempfile.mkdtemp(prefix="cw-test-")
    atexit.register(shutil.rmtree, os.environ["CONCUR_DATA_DIR"], ignore_errors=True)

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.conf import settings as site
from django.test import Client, override_settings
from hypothesis import HealthCheck, settings

from datasets_app.accounts.actor import Actor
from tests import factories
from tests.live import SiteAlone, prepare_folder
from tests.once import migrated_once
from tests.redis_server import running_redis

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The same examples each time, and no limit on their time: a busy machine fails no test by chance.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("repeatable")

gc.disable()  # until all tests are collected: these stay
os.umask(0o077)  # as every entry point of the project does: the engine must work with it too
ENGINES = 3  # of the workers of a run
# The first that is there. The shell is the same Chromium without windows: pages cost it less.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # One process draws all pages of a context: a new one for each costs its start, and compiles all scripts again.
    "--renderer-process-limit=1",
]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the engine's tests first: they take longest, and no worker should end up with one of them last.

    Tests that share a fixture of their module run on one worker: on several, each would make it. Those of the session's
    engine run on few, since each worker starts its own. Those that commit are left where pytest-django puts them, at
    the end: groups begin first, and a commit's clean-up empties all tables.
    """
    items.sort(key=lambda item: item.get_closest_marker("engine") is None)
    engine = cycle(f"engine {number}" for number in range(ENGINES))
    for item in items:
        if commits(item) or item.get_closest_marker("xdist_group"):
            continue
        if "module" in (scopes := scopes_of_fixtures(item)).values():
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
        elif scopes.get("engine") == "session":
            item.add_marker(pytest.mark.xdist_group(next(engine)))


def commits(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("django_db")
    fixtures = {"transactional_db", "live_server"} & set(getattr(item, "fixturenames", ()))
    return bool(fixtures or (marker and marker.kwargs.get("transaction")))


def scopes_of_fixtures(item: pytest.Item) -> dict[str, str]:
    found = getattr(item, "_fixtureinfo", None)
    fixtures = [last for *_, last in found.name2fixturedefs.values()] if found else []
    return {one.argname: one.scope for one in fixtures if not one.argname.startswith("_")}


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Keep what was collected out of garbage collection, and collect less often: both cost a tenth of all time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix):
    """Use SQLite in a file, as a site does: an in-memory database locks whole tables between threads."""
    from django.db import connection

    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(
            Path(os.environ["CONCUR_DATA_DIR"]) / f"test{os.environ.get('PYTEST_XDIST_WORKER', '')}.sqlite3"
        )


@pytest.fixture(scope="session")
def django_db_keepdb(request) -> bool:
    """Let Django take the file that is there, which `django_db_setup` below puts there."""
    from django.db import connection

    return connection.vendor == "sqlite" or bool(request.config.getvalue("reuse_db"))


@pytest.fixture(scope="session")
def django_db_setup(request, django_db_modify_db_settings) -> None:
    """Migrate SQLite once per run, not in each worker."""
    from django.db import connection

    if connection.vendor != "sqlite":
        request.getfixturevalue("django_db_setup")  # of pytest-django, which this one stands before
        return
    with migrated_once(Path(connection.settings_dict["TEST"]["NAME"])):
        request.getfixturevalue("django_db_setup")


@pytest.fixture(autouse=True)
def closed_circuit():
    """Close the circuit before each test, so that one test's broken broker does not affect the next."""
    from datasets_app.broker import circuit

    circuit.reset()


@pytest.fixture(autouse=True, scope="session")
def settings_of_tests(django_test_environment) -> Iterator[None]:
    """Change what tests need otherwise than a site, once per run: set for each test, it would cost all of them.

    Static files are served uncollected and unhashed; WhiteNoise only needs its folder to exist. For the whole run:
    between two tests a browser's late request would look for hashed files, and keep doing so. Passwords have a fast
    hasher: a real site's is slow on purpose. Texts are analysed in this process: tests of pages need no child process;
    those of the limits switch it on.
    """
    site.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    with override_settings(
        STORAGES={**site.STORAGES, "staticfiles": plain},
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        ANALYSIS_IN_CHILDREN=False,
    ):
        yield


@pytest.fixture(autouse=True, scope="session")
def patience(django_test_environment) -> Iterator[None]:
    """Wait longer than a site does for an answer of Redis, and before a count is said to be a lower bound: a busy
    machine may delay either."""
    sets = import_module("datasets_app.browse.query.sets")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("datasets_app.broker.client"), "TIMEOUT_SECONDS", 30.0)
        patch.setattr(sets, "HASTY", replace(sets.HASTY, seconds=30.0))
        yield


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Disable garbage collection: a finaliser fails at the end of the stack, and so does pytest's report."""
    gc.disable()
    yield
    gc.enable()


def signed_in(role: str) -> Client:
    client = Client()
    client.force_login(factories.make_user(role))
    return client


@pytest.fixture
def reader(db) -> Client:
    return signed_in("reader")


@pytest.fixture
def annotator(db) -> Client:
    return signed_in("annotator")


@pytest.fixture
def curator(db) -> Client:
    return signed_in("curator")


@pytest.fixture
def administrator(db) -> Client:
    return signed_in("administrator")


@pytest.fixture
def ada(db) -> Actor:
    return factories.acting(factories.make_user("annotator", "ada"))


@pytest.fixture
def ben(db) -> Actor:
    return factories.acting(factories.make_user("annotator", "ben"))


@pytest.fixture
def cleo(db) -> Actor:
    return factories.acting(factories.make_user("curator", "cleo"))


@pytest.fixture
def cur(db) -> Actor:
    return factories.acting(factories.make_user("curator", "cur"))


@pytest.fixture(scope="session")
def redis_url():
    with running_redis() as url:
        yield url


@pytest.fixture(scope="session")
def build_cache(tmp_path_factory):
    """Keep one cache of built modules between runs and for all test processes, beside pytest's own folders."""
    folder = tmp_path_factory.getbasetemp().parent / "concur-test-builds"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def engine(build_cache):
    """One CPU engine for all tests that only submit jobs: starting one takes seconds."""
    from eval_app.engine import Engine

    with Engine("cpu", build_cache) as running:
        yield running


@pytest.fixture(scope="session")
def demo_site(tmp_path_factory) -> Iterator[SiteAlone]:
    """A site with the demo pack that runs without a worker, for tests of the xdist group "live" that share it."""
    folder = prepare_folder(tmp_path_factory.mktemp("demo"), demo=True)
    with SiteAlone(folder, CONCUR_DEMO_VERIFY="0") as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """One Chromium per test process: Playwright refuses a second event loop beside the first."""
    from playwright.sync_api import expect, sync_playwright

    from tests.pages import PATIENCE_MS

    expect.set_options(timeout=PATIENCE_MS)
    chromium = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    assert chromium, "no Chromium on the PATH: on Debian, apt-get install chromium"
    # Playwright's loop runs in this thread; Django's guard against misuse of async views does not apply.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_ARGUMENTS)
        yield launched
        launched.close()
