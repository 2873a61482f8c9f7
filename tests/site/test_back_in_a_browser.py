"""Tests of the browser's Back button, in a real Chromium."""

import pytest
from playwright.sync_api import expect

from tests.factories import make_sample
from tests.pages import context, page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
__all__ = ["context", "page"]


def test_after_signing_out_back_shows_nothing_that_was_read(page):
    sample = make_sample()
    page.goto(f"/samples/{sample.pk}/")
    expect(page.get_by_role("heading", level=1)).to_contain_text(sample.task.name)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert sample.task.name not in page.content()


def test_back_to_a_filtered_list_finds_the_filter(page):
    sample = make_sample(generator="writer-32b")
    page.goto("/browse/?generator=writer-32b")
    page.get_by_role("link", name=sample.task.name).first.click()
    page.wait_for_url("**/samples/**")
    page.go_back()
    page.wait_for_url("**/browse/?generator=writer-32b")
    expect(page.get_by_role("link", name=sample.task.name).first).to_be_visible()
