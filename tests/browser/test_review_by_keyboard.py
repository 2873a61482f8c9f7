"""Tests of reviewing in a real Chromium by keyboard alone: scores, verdict, next, undo, surviving drafts."""

import re
from collections import Counter

import pytest
from playwright.sync_api import Browser, Page, expect

from datasets_app import review
from datasets_app.models import Review, ReviewDraft
from tests.axe import violations
from tests.browser.conftest import Watched, new_context
from tests.browser.review_page import press, wait_until_stored
from tests.factories import acting, make_sample, make_user
from tests.pages import session_cookie

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def ada():
    return make_user("annotator", "ada")


@pytest.fixture
def open_page(browser: Browser, live_server, ada):
    """Yield a page of ada's, on the test's own server; any error on it fails the test."""
    context = new_context(browser, base_url=live_server.url)
    context.add_cookies([session_cookie(ada, live_server.url)])
    page = context.new_page()
    watched = Watched(page)
    yield page
    context.close()
    conflict = "console: Failed to load resource: the server responded with a status of 409 (Conflict)"
    complaints = [one for one in watched.complaints if one != conflict]  # that answer is intended, and tested
    assert not complaints, "\n".join(complaints)


def checked(page: Page, name: str) -> str | None:
    return page.evaluate("name => document.querySelector(`[name=${name}]:checked`)?.value ?? null", name)


def test_four_scores_a_reason_a_verdict_and_save_take_a_key_each(open_page: Page):
    first, second = make_sample(), make_sample()
    open_page.goto("/review/")
    press(open_page, "n")
    open_page.wait_for_url(f"**/review/{first.pk}/")
    press(open_page, "4 3 5 2 l p l f s")
    open_page.wait_for_url(f"**/review/{second.pk}/")
    wait_until_stored(open_page)
    stored = Review.objects.get()
    scores = {"correctness": 4, "kernel_quality": 3, "trace_quality": 5, "faithfulness": 2}
    assert (stored.verdict, stored.scores, stored.reasons) == ("fix", scores, ["poor_code"])
    expect(open_page.get_by_text("2 of 2")).to_be_visible()


@pytest.mark.parametrize("count", [15, pytest.param(50, marks=pytest.mark.long)])
def test_a_session_of_many_samples_needs_the_keyboard_alone(open_page: Page, count: int):
    for _ in range(count):
        make_sample()
    pages = []
    open_page.on("request", lambda one: pages.append(one.url) if one.is_navigation_request() else None)
    open_page.goto("/review/")
    press(open_page, "n")
    open_page.wait_for_url(re.compile(r"/review/[0-9a-f-]{36}/$"))  # loaded: its keys work
    for number in range(count):
        here = open_page.url
        press(open_page, f"4 3 5 2 {'afr'[number % 3]} s")
        open_page.wait_for_url(lambda url, here=here: url != here)
    expect(open_page.get_by_text("You have reviewed every sample")).to_be_visible()
    expect(open_page.get_by_role("region", name="Your day")).to_contain_text(str(count))
    stored = Review.objects.standing()
    assert sorted(Counter(one.verdict for one in stored).values()) == [
        count // 3,
        (count + 1) // 3,
        (count + 2) // 3,
    ]
    assert len({one.sample_id for one in stored}) == count
    assert all(list(one.scores.values()) == [4, 3, 5, 2] for one in stored)
    # The queue, its first sample, the queue at the end, and on a busy machine a few whose answer failed or came late:
    # all others were swapped in.
    assert len(pages) <= 8


def test_a_criterions_key_marks_it_and_zero_takes_a_score_back(open_page: Page):
    sample = make_sample()
    open_page.goto(f"/review/{sample.pk}/")
    press(open_page, "h 5 c 1 q 3 e 2")
    assert [checked(open_page, name) for name in ("faithfulness", "correctness", "kernel_quality")] == [
        "5",
        "1",
        "3",
    ]
    press(open_page, "c 0")
    assert checked(open_page, "correctness") == ""


def test_undo_takes_the_last_review_back_and_opens_it_as_it_was_typed(open_page: Page):
    sample, following = make_sample(), make_sample()
    open_page.goto(f"/review/{sample.pk}/")
    press(open_page, "5 a s")
    open_page.wait_for_url(f"**/review/{following.pk}/")
    wait_until_stored(open_page)
    press(open_page, "u")
    open_page.wait_for_url(f"**/review/{sample.pk}/")
    assert (checked(open_page, "verdict"), checked(open_page, "correctness")) == ("accept", "5")
    press(open_page, "r s")
    open_page.wait_for_url(f"**/review/{following.pk}/")
    wait_until_stored(open_page)
    sample.refresh_from_db()
    assert sample.verdict == "reject"
    stored = Review.objects.for_sample(sample.pk)
    assert [(one.verdict, one.is_withdrawn) for one in stored] == [("reject", False), ("accept", True)]


def test_keys_typed_into_the_comment_are_words(open_page: Page):
    sample = make_sample()
    open_page.goto(f"/review/{sample.pk}/")
    press(open_page, "m")
    open_page.keyboard.type("far 5x faster")
    press(open_page, "Escape a Control+Enter")
    open_page.wait_for_url(re.compile(r"/review/$"))
    assert (Review.objects.get().comment, Review.objects.get().verdict) == ("far 5x faster", "accept")


def test_the_going_keys_of_the_site_set_nothing_here(open_page: Page):
    sample = make_sample()
    open_page.goto(f"/review/{sample.pk}/")
    press(open_page, "g r")
    open_page.wait_for_url(re.compile(r"/review/$"))
    assert not ReviewDraft.objects.exists()


def test_what_is_typed_is_kept_on_the_server_without_being_asked(open_page: Page, ada):
    sample = make_sample()
    open_page.goto(f"/review/{sample.pk}/")
    press(open_page, "4 m")
    open_page.keyboard.type("half a thought")
    expect(open_page.get_by_text("Draft kept")).to_be_visible()
    assert ReviewDraft.objects.get(reviewer=ada).fields == {
        "correctness": "4",
        "comment": "half a thought",
        "rubric": "1",
    }
    open_page.reload()
    expect(open_page.get_by_label("Comment")).to_have_value("half a thought")


def test_what_the_server_never_got_is_kept_in_the_browser(open_page: Page):
    sample = make_sample()
    open_page.goto(f"/review/{sample.pk}/")
    open_page.route("**/draft/", lambda route: route.fulfill(status=204))
    press(open_page, "m")
    open_page.keyboard.type("written on a train")
    expect(open_page.get_by_text("Kept in this browser only")).to_be_visible()
    assert not ReviewDraft.objects.exists()
    open_page.reload()
    expect(open_page.get_by_label("Comment")).to_have_value("written on a train")


def test_a_copy_in_the_browser_does_not_come_back_after_its_review_arrived(open_page: Page):
    sample, following = make_sample(), make_sample()
    open_page.goto(f"/review/{sample.pk}/")
    press(open_page, "a m")
    open_page.keyboard.type("first words")
    press(open_page, "Control+Enter")
    open_page.wait_for_url(f"**/review/{following.pk}/")
    wait_until_stored(open_page)
    assert open_page.evaluate("Object.keys(localStorage).filter(key => /-(review|outbox)-/.test(key))") == []


def test_news_are_told_while_one_types_and_shown_when_one_saves(open_page: Page):
    sample = make_sample()
    open_page.goto(f"/review/{sample.pk}/")
    review.submit_review(sample, acting(make_user("annotator", "ben")), "reject", comment="fails for n = 0")
    press(open_page, "a")
    expect(open_page.get_by_text("Something new came in")).to_be_visible()
    with open_page.expect_response(lambda answer: answer.status == 409):
        press(open_page, "s")
    expect(open_page.get_by_text("Not saved yet")).to_be_visible()
    expect(open_page.get_by_text("fails for n = 0").first).to_be_visible()
    assert checked(open_page, "verdict") == "accept"
    press(open_page, "s")
    open_page.wait_for_url(re.compile(r"/review/$"))
    assert Review.objects.count() == 2


def test_the_sheet_of_keys_lists_this_pages_own(open_page: Page):
    open_page.goto(f"/review/{make_sample().pk}/")
    press(open_page, "?")
    expect(open_page.get_by_role("dialog")).to_contain_text("Undo: take your last review back")
    press(open_page, "a Escape")
    assert checked(open_page, "verdict") is None


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_the_pages_of_review_and_account_pass_axe(open_page: Page, ada, theme):
    sample, held = make_sample(), make_sample()
    ben = make_user("annotator", "ben")
    review.submit_review(sample, acting(ben), "fix", {"correctness": 4}, "mask the tail")
    review.save_draft(held, acting(ada), {"comment": "half"})
    review.claim(held, acting(ben))
    open_page.emulate_media(color_scheme=theme)
    for path in (
        "/review/",
        f"/review/{sample.pk}/",
        f"/review/{held.pk}/",
        "/account/",
        "/account/password/",
    ):
        open_page.goto(path)
        assert violations(open_page) == [], path
