"""Tests that the keyboard can drag, open and tick whatever the mouse can."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_handle_of_a_range_is_moved_by_arrows_and_applied_by_enter(site, visit):
    page = visit("/browse/?view=all")
    page.get_by_text("Trace length and speedups").press("Enter")
    handle = page.get_by_role("slider", name=re.compile("Trace.*at least"))
    handle.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    low = page.locator(".range > input").first
    expect(low).not_to_have_value("")
    asked = low.input_value()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"tokens_min={asked}($|&)"))


def test_a_facet_is_set_and_cleared_by_enter(site, visit):
    page = visit("/browse/?view=all")
    page.keyboard.press("f")
    assert page.evaluate("document.activeElement.matches('.facets a.facet-value')")
    page.locator(".facets a", has_text="cheated").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**outcome=cheated**")
    page.get_by_role("link", name=re.compile(r"outcome: cheated")).press("Enter")
    page.wait_for_url(lambda address: "outcome" not in address)


def test_a_bar_between_panes_is_moved_by_arrows_and_evened_out_by_home(site, visit):
    page = visit(site.places["sample"])
    bar = page.get_by_role("separator", name="Width of the trace and the kernel")
    width = "document.querySelector('#pane-kernel').getBoundingClientRect().width"
    bar.focus()
    page.keyboard.press("Home")
    before = page.evaluate(width)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(width) < before - 20
    assert int(bar.get_attribute("aria-valuenow")) > 50
    page.keyboard.press("Home")
    assert abs(page.evaluate(width) - before) < 1


def test_the_outline_of_the_trace_leads_where_a_click_on_its_strip_does(site, visit):
    """The strip is for the pointer only; each of its places is also in the outline."""
    page = visit(site.places["sample follows"])
    strip = page.locator("#pane-trace .strip a").evaluate_all(
        "all => all.map(one => one.getAttribute('href'))"
    )
    outline = page.locator("#pane-trace .jump-list a").evaluate_all(
        "all => all.map(one => one.getAttribute('href'))"
    )
    assert set(strip) <= set(outline)
    page.locator("#pane-trace summary", has_text="Outline").press("Enter")
    page.locator("#pane-trace .jump-list a").last.press("Enter")
    expect(page.locator(".segment.is-marked")).to_have_count(1)


def test_the_columns_are_chosen_by_space_and_enter_and_escape_closes_the_sheet(site, visit):
    page = visit("/browse/?view=all")
    menu = page.locator(".view-menu summary", has_text="Columns")
    menu.press("Enter")
    menu.press("Tab")
    page.keyboard.press("Escape")
    expect(page.locator(".column-sheet")).to_be_hidden()
    expect(menu).to_be_focused()
    menu.press("Enter")
    box = page.get_by_role("checkbox", name="Generator")
    box.press("Space")
    box.press("Enter")
    page.wait_for_url("**columns=**")
    expect(page.get_by_role("columnheader", name="Generator")).to_have_count(0)


def test_rows_are_ticked_and_acted_on_without_a_mouse(site, visit):
    page = visit("/browse/?source=trying&view=all")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator("#picked")).to_have_text("2 selected")
    page.keyboard.press("t")
    tag = page.locator("[data-panel=tag] input:not([type=hidden])").first
    expect(tag).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("[data-panel=tag] summary")).to_be_focused()
    page.keyboard.press("X")
    expect(page.locator("#picked")).to_have_text("7 selected")


def test_a_folded_part_of_a_difference_opens_by_enter(site, visit):
    page = visit(f"{site.places['sample']}?against={site.places['sibling']}", "reader")
    fold = page.locator("details.folded").first
    fold.locator("summary").press("Enter")
    assert fold.get_attribute("open") is not None
    page.get_by_role("region", name="Lines that differ").focus()
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelector('.diff-frame').scrollTop > 0")


def test_the_theme_is_switched_by_its_button_and_stays_on_the_next_page(site, visit):
    page = visit("/verify/findings/", "reader")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    switch = page.locator("#theme-switch")
    try:
        switch.press("Enter")
        dark = page.evaluate(colour)
        assert dark != light
        page.goto(f"{site.url}/leaderboard/")
        assert page.evaluate(colour) == dark
        expect(switch).to_have_attribute("aria-label", "Theme: dark. Switch to light")
        switch.press("Enter")
        page.emulate_media(color_scheme="dark")
        assert page.evaluate(colour) == light  # chosen, whatever the system prefers
    finally:
        page.evaluate("localStorage.clear()")


def test_the_funnel_stays_in_sight_beside_the_last_rule(site, visit):
    page = visit("/curate/concur/", "curator")
    page.get_by_label("Keep in one split").evaluate("one => one.scrollIntoView({ block: 'center' })")
    assert page.evaluate("scrollY") > 300
    funnel = page.locator("#funnel").bounding_box()
    assert funnel is not None
    assert 44 <= funnel["y"] < 100


def test_going_elsewhere_presses_no_key_of_the_page(site, visit):
    page = visit(site.places["sample alone"])
    page.keyboard.press("g")
    page.keyboard.press("v")
    page.wait_for_url("**/verify/")
    page.go_back()
    assert page.locator("#evidence .notice").count() == 0  # g v did not request a verification
