"""A real Chromium on a real site. Any error on a page, in its console or in its requests fails the test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

from tests.live import PASSWORD, LiveSite, SiteAlone, prepare_folder
from tests.pages import PATIENCE_MS

PICTURES = Path(__file__).parent / "pictures"  # the README's; regenerated with CONCUR_PICTURES=1


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Iterator[LiveSite]:
    """A site with the demo pack and its recorded evidence: no page of these tests needs a worker."""
    with SiteAlone(prepare_folder(tmp_path_factory.mktemp("site"), demo=True)) as live:
        yield live


class Watched:
    """Collects the errors of a page."""

    def __init__(self, page: Page) -> None:
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(f"error on {page.url}: {error}"))
        page.on("console", self.on_console)
        page.on("response", lambda r: r.status >= 500 and self.complaints.append(f"{r.status} from {r.url}"))

    def on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(f"console: {message.text}")


def sign_in(page: Page, site: LiveSite) -> None:
    """Sign in as a person does. Where tests have the site's database, a session's cookie costs two pages less."""
    page.goto(f"{site.url}/accounts/login/")
    page.get_by_label("Name").fill("admin")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{site.url}/")


def new_context(browser: Browser, **options: object) -> BrowserContext:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en", **options)
    context.set_default_timeout(PATIENCE_MS)
    return context


@pytest.fixture
def page(browser: Browser, site: LiveSite) -> Iterator[Page]:
    """A page signed in as the administrator."""
    context = new_context(browser)
    opened = context.new_page()
    watched = Watched(opened)
    sign_in(opened, site)
    yield opened
    context.close()
    assert not watched.complaints, "\n".join(watched.complaints)
