"""Tests of suggestions in a real Chromium: one key takes, one drops, Enter saves, and the page passes axe."""

import pytest
from playwright.sync_api import Browser, Page, expect

from datasets_app.models import Note, Review, SuggestionAnswer
from datasets_app.review import suggestions
from tests.axe import violations
from tests.browser.conftest import Watched, new_context
from tests.factories import acting, make_sample, make_user
from tests.pages import session_cookie

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def sample():
    sample = make_sample(reasoning="First a plan.\n\nWait, the tail is lost.\n")
    rows = [
        {"sample": str(sample.pk), "verdict": "reject", "scores": {"correctness": 2}, "words": "no mask"},
        {
            "sample": str(sample.pk),
            "text": "trace",
            "start": 15,
            "end": 38,
            "label": "redundant",
            "words": "again",
        },
    ]
    suggestions.post_suggestions(acting(make_user("annotator", "bot")), "critic", "1", rows)
    return sample


@pytest.fixture
def page(browser: Browser, live_server, sample):
    context = new_context(browser, base_url=live_server.url)
    context.add_cookies([session_cookie(make_user("annotator", "ada"), live_server.url)])
    page = context.new_page()
    watched = Watched(page)
    page.goto(f"/review/{sample.pk}/")
    yield page
    context.close()
    assert not watched.complaints


def checked(page: Page, name: str) -> str | None:
    return page.evaluate("name => document.querySelector(`[name=${name}]:checked`)?.value ?? null", name)


def test_plus_takes_the_first_suggestion_and_keeps_what_was_typed(page: Page, sample):
    assert checked(page, "verdict") is None
    page.get_by_label("Comment").fill("my own words")
    page.keyboard.press("Escape")
    page.keyboard.press("+")
    expect(page.locator("#suggestion-said")).to_contain_text("check the form")
    assert (checked(page, "verdict"), checked(page, "correctness")) == ("reject", "2")
    assert not Review.objects.exists()
    page.keyboard.press("+")
    expect(page.locator("#suggestion-said")).to_contain_text("a note was written")
    assert Note.objects.get().label == "redundant"
    page.keyboard.press("s")
    expect(page.get_by_role("heading", name="Review", exact=True)).to_be_visible()
    stored = Review.objects.get()
    assert (stored.verdict, stored.scores, stored.comment) == ("reject", {"correctness": 2}, "my own words")
    assert set(SuggestionAnswer.objects.values_list("reply", "agreed")) == {("taken", True), ("taken", None)}


def test_minus_drops_and_enter_in_the_form_saves(page: Page, sample):
    page.keyboard.press("-")
    expect(page.locator("#suggestion-said")).to_contain_text("Dropped")
    assert checked(page, "verdict") is None
    page.keyboard.press("a")
    page.locator("[name=verdict][value=accept]").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Review", exact=True)).to_be_visible()
    assert Review.objects.get().verdict == "accept"
    assert not Note.objects.exists()


def test_the_panel_passes_axe(page: Page):
    assert violations(page) == []
