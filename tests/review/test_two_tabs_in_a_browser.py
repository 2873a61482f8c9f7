"""Tests of one reviewer with two tabs on one sample, in a real Chromium."""

import pytest
from playwright.sync_api import Page, expect

from datasets_app.models import Review, ReviewDraft
from tests.factories import make_sample
from tests.pages import context

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
__all__ = ["context"]


def tab(context, sample) -> Page:
    page = context.new_page()
    page.goto(f"/review/{sample.pk}/")
    return page


def type_comment(page: Page, text: str) -> None:
    with page.expect_response(lambda answer: answer.url.endswith("/draft/")):
        page.get_by_label("Comment").fill(text)


def test_both_texts_are_shown_and_the_chosen_one_becomes_the_draft(context):
    sample = make_sample()
    older, newer = tab(context, sample), tab(context, sample)
    type_comment(newer, "typed in the second tab")
    type_comment(older, "typed in the first tab")
    panel = older.locator(".draft-texts")
    expect(panel.get_by_text("typed in the second tab")).to_be_visible()
    expect(panel.get_by_text("typed in the first tab")).to_be_visible()
    expect(older.get_by_label("Comment")).to_have_value("typed in the first tab")
    panel.get_by_role("button", name="Make this the draft").click()
    expect(older.get_by_label("Comment")).to_have_value("typed in the first tab")
    expect(older.locator(".draft-texts").get_by_text("typed in the second tab")).to_be_visible()
    assert ReviewDraft.objects.get().fields == {"comment": "typed in the first tab", "rubric": "1"}


def test_opening_the_newer_text_keeps_what_was_typed_here(context):
    sample = make_sample()
    older, newer = tab(context, sample), tab(context, sample)
    type_comment(newer, "second")
    type_comment(older, "first")
    older.get_by_role("link", name="Open the newer text here").click()
    expect(older.get_by_label("Comment")).to_have_value("second")
    expect(older.locator(".draft-texts").get_by_text("first", exact=True)).to_be_visible()


def test_a_tab_that_is_closed_at_once_loses_nothing(context):
    sample = make_sample()
    page = tab(context, sample)
    page.get_by_label("Comment").fill("closed before the autosave")
    page.close(run_before_unload=True)
    again = tab(context, sample)
    expect(again.get_by_label("Comment")).to_have_value("closed before the autosave")


def test_a_text_left_in_the_browser_does_not_replace_a_newer_draft(context):
    sample = make_sample()
    offline = tab(context, sample)
    offline.route("**/draft/", lambda route: route.abort())
    offline.get_by_label("Comment").fill("written on a train")
    expect(offline.get_by_text("Kept in this browser only")).to_be_visible()
    offline.close()
    other = tab(context, sample)
    expect(other.get_by_label("Comment")).to_have_value("written on a train")
    ReviewDraft.objects.update(fields={"comment": "typed at the desk"}, version=1, written_by=None)
    expect(tab(context, sample).get_by_label("Comment")).to_have_value("typed at the desk")


def test_back_to_a_half_typed_review_finds_it_as_it_was(context):
    sample = make_sample()
    page = tab(context, sample)
    page.get_by_label("Comment").fill("half a thought")
    page.goto("/browse/")
    page.go_back()
    expect(page.get_by_label("Comment")).to_have_value("half a thought")
    assert not Review.objects.exists()
