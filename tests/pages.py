"""Opens pages of the tests' own server in a real Chromium, signed in; errors on a page fail the test."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from tests.factories import make_user

PATIENCE_MS = 60_000


def session_cookie(user: Any, url: str) -> dict[str, str]:
    """Return the cookie of a session in which the user is signed in, in Playwright's form."""
    client = Client()
    client.force_login(user)
    return {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": url}


@contextmanager
def sign_in_as(browser: Any, live_server: Any, name: str, **options: Any) -> Iterator[Any]:
    """Return a browser context in which `name` is signed in; its pages share the cookies."""
    context = browser.new_context(
        base_url=live_server.url, viewport={"width": 1440, "height": 900}, **options
    )
    context.set_default_timeout(PATIENCE_MS)
    context.add_cookies([session_cookie(get_user_model().objects.get(username=name), live_server.url)])
    yield context
    context.close()


@pytest.fixture
def context(browser, live_server):
    """Return a browser context in which Ada is signed in, an annotator."""
    with sign_in_as(browser, live_server, make_user("annotator", "ada").username) as context:
        yield context


@pytest.fixture
def page(context):
    return context.new_page()


@pytest.fixture
def open_page(browser, live_server, transactional_db):
    """Open an address as an annotator. `refused`: an answer of 400 is expected."""
    user = make_user("annotator")
    contexts, complaints = [], []

    def complain(message, refused):
        if message.type == "error" and not (refused and "400 (Bad Request)" in message.text):
            complaints.append(message.text)

    def opened(path, width=1440, scheme="light", javascript=True, refused=False, touch=False):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=javascript,
            has_touch=touch,
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        context.add_cookies([session_cookie(user, live_server.url)])
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complain(message, refused))
        page.goto(f"{live_server.url}{path}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
