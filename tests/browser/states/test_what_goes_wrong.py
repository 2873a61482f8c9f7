"""Tests of error pages: they say what happened, what was kept and what to do, in the site's own design."""

import pytest
from playwright.sync_api import expect

from concur_site import pipeline

pytestmark = pytest.mark.browser


def test_an_error_of_ours_says_that_nothing_is_lost(site, visit, judge, monkeypatch):
    def broken():
        raise RuntimeError("a fault that the test makes")

    monkeypatch.setattr(pipeline, "stations", broken)
    page = visit("/", "reader")
    assert "Stored data is not affected" in page.locator("main").inner_text()
    judge.look(page, "error of ours")


def test_a_wrong_password_is_said_and_the_name_kept(site, visit, judge):
    page = visit("/accounts/login/", "")
    page.get_by_label("Name").fill("nobody-here")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("do not match")
    expect(page.get_by_label("Name")).to_have_value("nobody-here")
    judge.look(page, "login refused")


def test_a_file_that_is_no_table_is_refused_with_its_reason(site, visit, judge, tmp_path):
    page = visit("/ingest/", "curator")
    (tmp_path / "empty.jsonl").write_bytes(b"")
    page.get_by_label("Files").set_input_files(tmp_path / "empty.jsonl")
    page.get_by_role("button", name="Ingest", exact=True).click()
    expect(page.get_by_text("The submitted file is empty")).to_be_visible()
    judge.look(page, "upload refused")


def test_a_part_that_a_person_asked_for_is_busy_and_legible_until_it_came(site, visit, judge):
    page = visit("/curate/concur/", "curator")
    page.get_by_role("button", name="Copy").click()
    page.wait_for_url("**/curate/concur-copy/")
    busy = "() => document.querySelector('[aria-busy=true]') !== null"
    page.route(
        "**/curate/concur-copy/**",
        lambda route: None if route.request.method == "POST" else route.continue_(),
    )
    page.locator("input[type=number]:not([readonly])").first.fill("7")
    page.locator("input[type=number]:not([readonly])").first.press("Tab")
    page.wait_for_function(busy)
    judge.look(page, "funnel awaited")
    page.unroute_all(behavior="ignoreErrors")
