"""Tests of skipping a sample on the review page, in a real Chromium."""

import pytest
from playwright.sync_api import Page, expect

from datasets_app.models import ReviewDraft, ReviewSkip
from tests.browser.review_page import opened, press
from tests.factories import make_sample
from tests.pages import context, page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
__all__ = ["context", "page"]


def test_a_skip_keeps_the_input_and_shows_the_next_sample_without_loading_a_page(page: Page):
    first, second, third = make_sample(), make_sample(), make_sample()
    opened(page, first)
    page.evaluate("window.wasHere = true")
    with page.expect_response(f"**/review/{second.pk}/ahead/"):
        press(page, "f x")
        page.wait_for_url(f"**/review/{second.pk}/")
    assert ReviewDraft.objects.get(sample=first).fields["verdict"] == "fix"
    with page.expect_response(f"**/review/{third.pk}/ahead/"):
        press(page, "x")
        page.wait_for_url(f"**/review/{third.pk}/")
    assert page.evaluate("window.wasHere")
    assert set(ReviewDraft.objects.filter(skipped_at__isnull=False).values_list("sample", flat=True)) == {
        first.pk,
        second.pk,
    }


def test_a_skip_that_does_not_reach_the_site_stays_and_may_be_repeated(page: Page):
    first, second = make_sample(), make_sample()
    opened(page, first)
    page.route("**/skip/", lambda route: route.fulfill(status=503))
    with page.expect_response(f"**/review/{first.pk}/ahead/"):
        press(page, "a x")
        expect(page.locator("#draft-state")).to_contain_text("Not done")
    page.unroute_all()
    press(page, "x")
    page.wait_for_url(f"**/review/{second.pk}/")


def test_a_refused_reason_is_said_on_the_page_and_the_sample_stays(page: Page):
    first, _ = make_sample(), make_sample()
    opened(page, first)
    press(page, "f")
    page.get_by_text("Say why you skip it").click()
    page.get_by_label("In words, for curators").fill("so\x01hidden")
    page.locator("#skip").click()
    expect(page.locator(".rail-aside [role=alert]")).to_be_visible()
    assert page.url.endswith(f"/review/{first.pk}/")
    assert page.locator("[name=verdict]:checked").get_attribute("value") == "fix"
    assert not ReviewSkip.objects.exists()
