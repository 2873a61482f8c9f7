"""Tests that disagreements are decided in a real Chromium by keyboard alone, by the keys of the review page."""

import pytest
from playwright.sync_api import Browser, Page, expect

from datasets_app import review
from datasets_app.models import Review
from tests.browser.conftest import Watched, new_context
from tests.browser.review_page import press
from tests.factories import acting, make_sample, make_user
from tests.pages import session_cookie

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def disputed():
    """Return two samples whose reviewers disagree, in the order of the list."""
    people, samples = (
        [make_user("annotator", name) for name in ("ada", "ben")],
        [make_sample(), make_sample()],
    )
    for sample in samples:
        for person, verdict in zip(people, ("accept", "reject"), strict=True):
            review.submit_review(sample, acting(person), verdict, comment=verdict)
    return samples


@pytest.fixture
def page(browser: Browser, live_server):
    """Yield a page of a curator's, on the test's own server; any error on it fails the test."""
    context = new_context(browser, base_url=live_server.url)
    context.add_cookies([session_cookie(make_user("curator", "grace"), live_server.url)])
    page = context.new_page()
    watched = Watched(page)
    yield page
    context.close()
    assert not watched.complaints, "\n".join(watched.complaints)


def chosen(page: Page) -> str | None:
    return page.evaluate("document.querySelector('[name=verdict]:checked')?.value ?? null")


def test_disagreements_are_decided_by_keyboard_alone(page: Page, disputed):
    first, second = disputed
    page.goto("/review/adjudicate/")
    press(page, "j Enter")
    page.wait_for_url(f"**/{first.pk}/")
    for key, verdict in {"a": "accept", "r": "reject", "f": "fix"}.items():
        press(page, key)
        assert chosen(page) == verdict
    press(page, "s")  # a reason is required: the browser says so there
    expect(page.get_by_label("Reason")).to_be_focused()
    page.keyboard.type("a mask, as ada says")  # all of them letters here
    assert chosen(page) == "fix"
    press(page, "Escape a s")
    page.wait_for_url(f"**/{second.pk}/")
    press(page, "r m")
    page.keyboard.type("so")
    press(page, "Control+Enter")
    page.wait_for_url("**/review/adjudicate/")
    stored = Review.objects.filter(kind="adjudication").order_by("id").values_list("verdict", "comment")
    assert list(stored) == [("accept", "a mask, as ada says"), ("reject", "so")]


def test_the_keys_are_on_the_sheet_where_there_is_something_to_decide(page: Page, disputed):
    keys = page.locator("#key-sheet dt:visible")
    page.goto(f"/review/adjudicate/{disputed[0].pk}/")
    press(page, "?")
    assert {"a", "f", "r", "m", "s"} <= set(keys.all_inner_texts())
    press(page, "a")  # the sheet is open, so this chooses nothing
    assert chosen(page) is None
    page.goto(f"/review/adjudicate/{make_sample().pk}/")
    press(page, "?")
    assert not {"a", "f", "r", "m", "s"} & set(keys.all_inner_texts())
    press(page, "Escape")
    page.goto(f"/review/adjudicate/{disputed[0].pk}/")
    press(page, "g r")
    page.wait_for_url("**/review/")
