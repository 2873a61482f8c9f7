"""Tests of what others change under an open review form, in a real Chromium: a sentence, and no text is lost."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from datasets_app import ingest, review
from datasets_app.models import Review, ReviewClaim, ReviewDraft
from datasets_app.review import queues
from tests.browser.review_page import opened, outbox, press, wait_until_stored
from tests.factories import acting, make_queue, make_sample, make_user
from tests.live import wait_until
from tests.pages import context, page, sign_in_as
from tests.review.test_rubric import without_trace_quality

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
__all__ = ["context", "page"]


@pytest.fixture
def curator(transactional_db):
    return acting(make_user("curator", "cur"))


@pytest.fixture
def ben(transactional_db):
    return acting(make_user("annotator", "ben"))


def write_and_save(page: Page) -> None:
    press(page, "e 2 m")
    page.keyboard.type("an hour of writing")
    press(page, "Escape a s")


def opened_in_queue(page: Page, curator):
    """Open the first of two samples of a queue that wants one review of each; return the sample and the queue."""
    first, _ = make_sample(), make_sample()
    queue = make_queue("first look", curator)
    queues.open_queue(queue, curator)
    opened(page, first, f"?queue={queue.pk}")
    return first, queue


def go_back(page: Page) -> None:
    page.get_by_role("button", name="Go back to it").click()
    expect(page.get_by_label("Comment")).to_have_value("an hour of writing")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda queue, curator: without_trace_quality(curator), "Version 2 of the rubric"),
        (queues.close_queue, "The queue of this sample was closed"),
        (lambda queue, curator: queues.change_queue(queue, curator, {"overlap": 3}), "wants 3 review(s)"),
    ],
    ids=["a newer rubric", "a closed queue", "a changed queue"],
)
def test_what_changed_under_an_open_form_is_said_and_the_text_is_gone_back_to(
    page: Page, curator, change, sentence
):
    first, queue = opened_in_queue(page, curator)
    change(queue, curator)
    write_and_save(page)
    page.wait_for_url(lambda url: str(first.pk) not in url)
    expect(outbox(page)).to_contain_text(sentence)
    go_back(page)
    expect(page.get_by_text("The new version does not ask: Trace quality 2.")).to_have_count(
        int("rubric" in sentence)
    )
    expect(page.locator("#conflict, #rubric-moved")).to_be_focused()
    press(page, "s")
    wait_until(lambda: Review.objects.filter(comment="an hour of writing").exists(), "the review")


def fill_the_slot(first, curator, ben) -> None:
    ReviewClaim.objects.filter(sample=first).update(expires_at=timezone.now() - timedelta(seconds=1))
    review.submit_review(first, ben, "reject")


def withdraw(first, curator, ben) -> None:
    ingest.withdraw_sample(first, curator, "licence unclear")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [(fill_the_slot, "wants 1 review(s) of this sample"), (withdraw, "licence unclear")],
    ids=["two people at one slot", "a withdrawn sample"],
)
def test_a_sample_that_takes_no_review_any_more_says_why_and_gives_the_text_back(
    page: Page, curator, ben, change, sentence
):
    first, _ = opened_in_queue(page, curator)
    change(first, curator, ben)
    write_and_save(page)
    page.wait_for_url(lambda url: str(first.pk) not in url)
    expect(outbox(page)).to_contain_text(sentence)
    go_back(page)
    expect(page.get_by_role("alert").filter(has_text=sentence)).to_be_visible()
    with page.expect_response(lambda answer: answer.status == 409):
        press(page, "s")
    expect(page.get_by_label("Comment")).to_have_value("an hour of writing")
    assert not Review.objects.filter(comment="an hour of writing").exists()


def test_a_review_refused_in_the_background_is_gone_back_to_with_its_text(page: Page):
    first, second = make_sample(), make_sample()
    opened(page, first)
    ben = acting(make_user("annotator", "ben"))
    review.submit_review(first, ben, "reject", comment="fails for n = 0")
    press(page, "m")
    page.keyboard.type("looks right")
    press(page, "Escape a s")
    page.wait_for_url(f"**/review/{second.pk}/")
    expect(outbox(page)).to_contain_text(f"Not saved: your review of {first.task.name}")
    page.get_by_role("button", name="Go back to it").click()
    expect(page.get_by_text("Not saved yet: the sample changed")).to_be_visible()
    expect(page.get_by_label("Comment")).to_have_value("looks right")
    expect(page.get_by_text("fails for n = 0").first).to_be_visible()
    expect(outbox(page)).to_be_hidden()
    press(page, "s")
    wait_until_stored(page)
    assert Review.objects.count() == 2


def test_a_sample_that_is_gone_leaves_its_text_to_be_read(page: Page):
    first, second = make_sample(), make_sample()
    opened(page, first)
    first.claims.all().delete()
    first.body.delete()
    first.delete()
    press(page, "m")
    page.keyboard.type("an hour of writing")
    press(page, "Escape a s")
    page.wait_for_url(f"**/review/{second.pk}/")
    expect(outbox(page)).to_contain_text("The sample is no longer there")
    page.get_by_text("What you typed", exact=True).click()
    expect(outbox(page)).to_contain_text("comment: an hour of writing")
    page.get_by_role("button", name="Discard it").click()
    expect(outbox(page)).to_be_hidden()


def test_a_claim_that_ran_out_while_typing_says_who_has_the_sample_and_keeps_the_text(page: Page):
    sample = make_sample()
    opened(page, sample, ahead=False)
    ReviewClaim.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    review.claim(sample, acting(make_user("annotator", "ben")))
    press(page, "m")
    page.keyboard.type("slow thoughts")
    expect(page.get_by_text("ben has it open as well.")).to_be_visible()
    assert ReviewDraft.objects.get().fields["comment"] == "slow thoughts"


def test_two_people_never_get_the_same_sample_ahead(page: Page, browser, live_server):
    samples = [make_sample() for _ in range(4)]
    make_user("annotator", "ben")
    opened(page, samples[0])
    with sign_in_as(browser, live_server, "ben") as bens:
        other = bens.new_page()
        opened(other, samples[2])
        press(page, "a s")
        page.wait_for_url(f"**/review/{samples[1].pk}/")
        press(other, "a s")
        other.wait_for_url(f"**/review/{samples[3].pk}/")
        wait_until_stored(page)
        wait_until_stored(other)
    assert len({one.sample_id for one in Review.objects.all()}) == 2
