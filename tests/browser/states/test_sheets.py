"""What a page keeps folded until it is asked for: sheets, menus, what a figure waits for. Each is judged when it is open."""

import re

import pytest
from playwright.sync_api import Page, expect

from datasets_app.analysis import kept
from datasets_app.models import Ingest, Upkeep
from tests.browser.states import cast

pytestmark = pytest.mark.browser


def opened(page: Page, words: str) -> Page:
    """The page with that sheet of it open."""
    page.locator("summary", has_text=re.compile(f"^{words}")).first.press("Enter")
    return page


def test_the_sheet_of_keys_lists_what_works_on_this_page(site, visit, judge):
    page = visit("/browse/?view=all")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next row")
    judge.look(page, "sheet of keys")


@pytest.mark.parametrize("words", ["Views", "Columns", "How to ask"])
def test_a_menu_of_the_list_stays_within_the_page(site, visit, judge, words):
    judge.look(opened(visit("/browse/?view=all"), words), f"browse {words}")


@pytest.mark.parametrize("words", ["Verify", "Tag", "Assign", "Export"])
def test_a_sheet_of_what_is_done_to_many_rows(site, visit, judge, words):
    page = visit("/browse/?outcome=passed")
    page.locator(".samples tbody input[type=checkbox]").first.check()
    sheet = opened(page, words).locator(".act-panel[open] .act-sheet")
    expect(sheet).to_contain_text("28")  # how many all are
    judge.look(page, f"browse bulk {words}")


def test_the_filters_of_a_list_on_a_phone(site, visit, judge):
    page = visit("/browse/?language=cuda")
    page.locator("#show-facets").focus()
    page.keyboard.press("Space")
    judge.look(page, "browse filters unfolded")


def test_a_wide_table_says_that_it_goes_on_until_it_is_pushed_to_its_end(site, visit):
    page = visit("/releases/", "curator", width=390)
    table = page.locator(".scroll-x")
    expect(table).to_have_attribute("data-more", "")
    table.evaluate("region => region.scrollLeft = region.scrollWidth")
    expect(table).not_to_have_attribute("data-more", "")


def test_figures_of_very_many_samples_say_that_they_are_being_counted(site, visit, judge, monkeypatch):
    monkeypatch.setattr(kept, "AT_ONCE_SAMPLES", 1)
    page = visit("/")
    page.route("**/analysis/*/?*", lambda route: None)
    page.goto(f"{site.url}/analysis/?view=")
    judge.look(page, "analysis waiting")
    page.unroute_all(behavior="ignoreErrors")
