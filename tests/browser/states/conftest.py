"""One server and one page for all states of the site: first empty, then with an example of everything."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.db import connection, connections
from django.test.utils import override_settings, setup_databases, teardown_databases
from playwright.sync_api import Browser, ConsoleMessage, Page
from pytest_django.live_server_helper import LiveServer

from datasets_app.jobs import enqueue
from tests.browser.states import cast
from tests.browser.states.judging import Judge
from tests.once import migrated_once
from tests.pages import PATIENCE_MS, session_cookie

WIDE, NARROW = 1440, 390
EXPECTED = ("400 (Bad Request)", "403 (Forbidden)", "404 (Not Found)", "500 (Internal Server Error)")


@dataclass(frozen=True)
class Site:
    url: str
    people: cast.Person
    places: dict[str, str]  # addresses by name; empty for the empty site


@pytest.fixture(scope="session")
def served(
    django_test_environment, django_db_modify_db_settings, django_db_blocker, tmp_path_factory
) -> Iterator[str]:
    """Yield the address of a server; all tests of this folder share its database, and none empties it."""
    folder = tmp_path_factory.mktemp("site")
    own = {"EXPORT_DIR": folder / "exports", "UPLOAD_DIR": folder / "uploads", "INBOX_DIR": folder / "inbox"}
    with override_settings(**own), django_db_blocker.unblock():
        with migrated_once(Path(connection.settings_dict["TEST"]["NAME"])):
            databases = setup_databases(verbosity=0, interactive=False, aliases={"default"}, keepdb=True)
        server = LiveServer("127.0.0.1")
        yield server.url
        server.stop()
        connections.close_all()
        teardown_databases(databases, verbosity=0)


@pytest.fixture(scope="session")
def people(served: str) -> cast.Person:
    return cast.people()


@pytest.fixture(scope="session")
def empty_site(served: str, people: cast.Person) -> Site:
    return Site(served, people, {})


@pytest.fixture(scope="session")
def site(served: str, people: cast.Person, tmp_path_factory) -> Site:
    with enqueue.suppressed():
        return Site(served, people, cast.fill(tmp_path_factory.mktemp("files"), people))


class Visitor:
    """One person's page. `complaints`: console messages that no error response explains."""

    def __init__(self, browser: Browser, url: str, user, **options: object) -> None:
        self.url = url
        self.context = browser.new_context(viewport={"width": WIDE, "height": 900}, locale="en", **options)
        self.context.set_default_timeout(PATIENCE_MS)
        if user is not None:
            self.context.add_cookies([session_cookie(user, url)])
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(f"{self.page.url}: {error}"))
        self.page.on("console", self.on_console)

    def on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(known in message.text for known in EXPECTED):
            self.complaints.append(f"{self.page.url}: {message.text}")

    def open(self, path: str, width: int = WIDE) -> Page:
        self.page.set_viewport_size({"width": width, "height": 900 if width == WIDE else 844})
        self.page.emulate_media(color_scheme="light")
        self.page.goto(f"{self.url}{path}")
        return self.page


@pytest.fixture(scope="session")
def visitors(browser: Browser, served: str, people: cast.Person) -> Iterator[dict[str, Visitor]]:
    """Map roles to visitors, each created on first use."""
    made: dict[str, Visitor] = {}

    class OnDemand(dict):
        def __missing__(self, role: str) -> Visitor:
            self[role] = made[role] = Visitor(browser, served, getattr(people, role, None))
            return self[role]

    yield OnDemand()
    for visitor in made.values():
        visitor.context.close()


@pytest.fixture
def visit(visitors: dict[str, Visitor]):
    """Open an address as a person with a role ("" for nobody); errors on the page fail the test."""
    used: set[str] = set()

    def opened(path: str, role: str = "annotator", width: int = WIDE) -> Page:
        used.add(role)
        return visitors[role].open(path, width)

    yield opened
    complaints = [one for role in used for one in visitors[role].complaints]
    for role in used:
        # Otherwise it polls the server while the next test breaks a view.
        visitors[role].page.goto("about:blank")
        visitors[role].complaints.clear()
    assert complaints == []


@pytest.fixture(scope="session")
def judge() -> Judge:
    folder = os.environ.get("CONCUR_STATE_PICTURES")
    return Judge(Path(folder) if folder else None)
