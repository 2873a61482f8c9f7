"""Tests of folded parts: sheets, menus and deferred counts. Each is checked while open."""

import re

import pytest
from playwright.sync_api import Page, expect

from datasets_app.analysis import kept
from datasets_app.models import Sample

pytestmark = pytest.mark.browser
BOXES = "all => all.map(one => one.getBoundingClientRect().toJSON())"


def opened(page: Page, words: str) -> Page:
    """Return the page with that sheet open."""
    page.locator("summary", has_text=re.compile(f"^{words}")).first.press("Enter")
    return page


def test_the_sheet_of_keys_lists_what_works_on_this_page(site, visit, judge):
    page = visit("/browse/?view=all")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Next and previous row")
    judge.look(page, "sheet of keys")


@pytest.mark.parametrize("words", ["Views", "Columns", "Search syntax"])
def test_a_menu_of_the_list_stays_within_the_page(site, visit, judge, words):
    judge.look(opened(visit("/browse/?view=all"), words), f"browse {words}")


SELDOM = [pytest.param(words, marks=pytest.mark.long) for words in ("Verify", "Assign", "Export")]


@pytest.mark.parametrize("words", ["Tag", *SELDOM])
def test_a_sheet_of_what_is_done_to_many_rows(site, visit, judge, words):
    page = visit("/browse/?outcome=passed")
    page.locator(".samples tbody input[type=checkbox]").first.check()
    sheet = opened(page, words).locator(".act-panel[open] .act-sheet")
    expect(sheet).to_contain_text(f"all {Sample.objects.filter(outcome='passed').count()}")
    judge.look(page, f"browse bulk {words}")


def test_the_filters_of_a_list_on_a_phone(site, visit, judge):
    page = visit("/browse/?language=cuda", width=390)
    filters = page.get_by_role("complementary", name="Filters")
    expect(filters).not_to_be_visible()
    page.locator("#show-facets").focus()
    page.keyboard.press("Space")
    expect(filters).to_be_visible()
    judge.look(page, "browse filters unfolded")


def test_a_wide_text_says_that_it_goes_on_until_it_is_pushed_to_its_end(site, visit):
    page = visit(site.places["sass"], "reader", width=390)
    text = page.get_by_role("region", name="SASS")
    expect(text).to_have_attribute("data-more", "")
    text.evaluate("region => region.scrollLeft = region.scrollWidth")
    expect(text).not_to_have_attribute("data-more", "")


def test_figures_of_very_many_samples_stand_there_empty_until_they_are_counted(
    site, visit, judge, monkeypatch
):
    monkeypatch.setattr(kept, "MANY", 1)
    page = visit("/account/", "reader")
    page.route("**/analysis/*/?*", lambda route: None)  # never counted
    page.goto(f"{site.url}/analysis/")
    expect(page.get_by_role("status").first).to_contain_text("takes some seconds")
    judge.look(page, "analysis waiting")
    page.unroute_all(behavior="ignoreErrors")


def test_a_figure_stands_by_itself_where_no_script_asks_for_it(site, visit, judge):
    page = visit("/analysis/outcomes/", "reader")
    page.wait_for_selector("html[data-drawn]")
    judge.look(page, "figure alone")


def test_names_beside_bars_leave_a_phone_room_for_the_bars(site, visit):
    page = visit("/analysis/outcomes/", "reader", width=390)
    page.wait_for_selector("html[data-drawn]")
    chart = page.locator("[data-figure=outcomes]")
    widest = max(box["width"] for box in chart.locator(".nsewdrag").evaluate_all(BOXES))
    assert widest > 200
    names = chart.locator(".ytick text").all_text_contents()
    assert any(name.startswith("<b><script>") and name.endswith("…") for name in names)


def test_the_samples_that_a_rule_dropped_are_told_on_demand(site, visit, judge):
    judge.look(opened(visit("/curate/concur/", "curator"), "dropped"), "recipe dropped")


def test_a_recipe_with_a_fault_says_what_to_fix(site, visit, judge):
    page = visit("/curate/new/", "curator")
    page.get_by_label("Train").fill("95")
    page.get_by_label("Train").press("Tab")
    expect(page.locator("#funnel")).to_contain_text("to fix")
    judge.look(page, "recipe with a fault")


def test_a_new_token_is_shown_once(site, visit, judge):
    page = visit("/account/", "reader")
    page.get_by_role("button", name="Create token").click()
    expect(page.get_by_role("status")).to_contain_text("cannot be shown again")
    judge.look(page, "account new token")


def test_a_recipes_list_can_be_compared_with_nothing_chosen(site, visit, judge):
    page = visit("/curate/compare/", "curator")
    expect(page.locator("main")).to_contain_text("Choose two recipes")
    judge.look(page, "compare nothing")
