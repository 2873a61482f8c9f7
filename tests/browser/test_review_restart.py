"""Tests a review on a site whose process is killed and started again between two keystrokes."""

import os
import signal

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import new_context, sign_in
from tests.browser.review_page import outbox, press
from tests.live import SiteAlone, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.engine]  # begins early: a site takes a while to start


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with SiteAlone(tmp_path_factory.mktemp("restart")) as live:
        yield live


def test_a_process_killed_between_two_keystrokes_costs_no_text(browser, site):
    context = new_context(browser)
    page = context.new_page()
    sign_in(page, site)
    samples = page.request.get(f"{site.url}/api/v1/samples/?limit=1").json()["results"]
    page.goto(f"{site.url}/review/{samples[0]['id']}/")
    press(page, "4 m")
    page.keyboard.type("half a ")
    killed = site.children()["site-1"]
    os.kill(killed, signal.SIGKILL)
    page.keyboard.type("thought")
    wait_until(lambda: site.children().get("site-1", killed) != killed, "another process")
    expect(page.get_by_text("Draft kept")).to_be_visible()
    press(page, "Escape a s")
    expect(page.locator("#undo")).to_be_visible()
    expect(outbox(page)).to_be_hidden()
    stored = page.request.get(f"{site.url}/api/v1/reviews/").json()["results"]
    assert [(row["verdict"], row["comment"]) for row in stored] == [("accept", "half a thought")]
    context.close()
