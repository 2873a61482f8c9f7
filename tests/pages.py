"""Pages of the tests' own server in a real Chromium, signed in; what a page complains about fails the test."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.factories import make_user

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}  # what axe is asked


@contextmanager
def sign_in_as(browser: Any, live_server: Any, name: str, **options: Any) -> Iterator[Any]:
    """A browser's window in which `name` is signed in; its pages share the cookies."""
    context = browser.new_context(
        base_url=live_server.url, viewport={"width": 1440, "height": 900}, **options
    )
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto("/accounts/login/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(name)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{live_server.url}/")
    page.close()
    yield context
    context.close()


@pytest.fixture
def open_page(browser, live_server, transactional_db):
    """Opens an address as an annotator. `refused`: an answer of 400 is what the test is about."""
    name = make_user("annotator").username
    contexts, complaints = [], []

    def complain(message, refused):
        if message.type == "error" and not (refused and "400 (Bad Request)" in message.text):
            complaints.append(message.text)

    def opened(path, width=1440, scheme="light", javascript=True, refused=False):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=javascript
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complain(message, refused))
        page.goto(f"{live_server.url}/accounts/login/")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(name)
        page.get_by_role("button", name="Sign in").click()
        page.goto(f"{live_server.url}{path}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
