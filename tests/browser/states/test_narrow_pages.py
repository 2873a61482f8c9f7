"""Tests of what narrow windows show: nothing covers anything else, and what matters is not pushed out of sight."""

import pytest

from tests.browser.states.judging import hidden_tables

pytestmark = pytest.mark.browser
BELOW = """() => {
    const shown = [...document.querySelectorAll(".pane")].filter((pane) => pane.offsetHeight);
    const end = Math.max(...shown.map((pane) => pane.getBoundingClientRect().bottom));
    return document.getElementById("evidence-title").getBoundingClientRect().top - end;
}"""
# The texts of a plot that are cut by the window.
INSIDE = """plot => [...plot.querySelectorAll("text")].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.left < 0 || box.right > innerWidth;
}).map((one) => one.textContent)"""
IN_SIGHT = """all => all.map((one) => {
    const box = one.getBoundingClientRect();
    return box.width > 0 && box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight;
})"""


@pytest.mark.parametrize("width", [390, 1024])
def test_the_evidence_begins_below_the_pane_that_is_shown(site, visit, width):
    for place in ("{sample}", "{to review}"):
        page = visit(place.format_map(site.places), width=width)
        assert page.evaluate(BELOW) >= 0, place


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_the_first_screen_of_a_review_says_why_the_kernel_failed(site, visit, width):
    sample = site.places["wrong sample"].strip("/").split("/")[-1]
    page = visit(f"/review/{sample}/?also=1", width=width)
    reasons = page.get_by_text("4,096 elements").or_(page.locator(".review-why, .rail-reason"))
    assert any(reasons.evaluate_all(IN_SIGHT)), reasons.all_inner_texts()


def test_a_list_shows_what_was_measured_beside_the_filters_of_a_small_laptop(site, visit):
    page = visit("/browse/?view=all&outcome=passed", width=1024)
    for heading in ("Claimed", "Measured", "Verdict"):
        assert page.get_by_role("columnheader", name=heading).evaluate_all(IN_SIGHT) == [True], heading


def test_the_tables_beside_the_evidence_are_lines_that_hide_nothing(site, visit):
    for place in ("{sample}", "{sample alone}?neighbours=show"):
        page = visit(place.format_map(site.places))
        assert page.locator(".under-side .is-stacked").count(), place
        assert hidden_tables(page, ".under-side") == []


def test_a_small_laptop_shows_every_column_of_the_admins_samples(site, visit):
    page = visit("/admin/datasets_app/sample/", "administrator", width=1024)
    assert page.locator(".results").evaluate("region => region.scrollWidth <= region.clientWidth")


def test_the_plots_of_a_report_fit_a_phone(site, visit):
    page = visit(site.places["sample"], width=390)
    for name in ("Every timed call", "Roofline", "timed runs", "sizes"):
        plot = page.locator(f'svg.plot[aria-label*="{name}"]')
        assert plot.evaluate(INSIDE) == [], name


def test_all_criteria_are_in_sight_below_what_is_suggested(site, visit):
    page = visit(site.places["suggested"])
    assert page.locator(".suggestions li").count() >= 2
    criteria = page.locator(".criterion")
    assert criteria.evaluate_all(IN_SIGHT) == [True] * 4
    last, verdicts = criteria.last.bounding_box(), page.locator(".rail-save").bounding_box()
    assert last["y"] + last["height"] <= verdicts["y"]


def test_what_belongs_to_a_sample_stays_beside_the_evidence_that_is_read(site, visit):
    page = visit(site.places["sample"])
    page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    assert page.get_by_role("heading", name="Reviews").evaluate_all(IN_SIGHT) == [True]
    page.get_by_role("heading", name="Facts").scroll_into_view_if_needed()
    assert page.get_by_role("heading", name="Facts").evaluate_all(IN_SIGHT) == [True]


def test_a_run_with_two_levels_fits_a_phone(site, visit):
    page = visit(site.places["run"], "reader", width=390)
    table = page.get_by_role("region", name="Metrics by level")
    assert table.locator("thead th").count() == 4
    assert table.evaluate("region => region.scrollWidth <= region.clientWidth")


def test_the_header_of_a_phone_is_two_lines_for_an_administrator_too(site, visit):
    page = visit("/", "administrator", width=390)
    assert page.locator(".site-header").bounding_box()["height"] < 90
    assert page.locator(".site-footer").get_by_text("Site admin").is_visible()


def test_a_difference_on_a_phone_begins_with_its_code_and_folds_its_options(site, visit):
    path = "{sample}?against={sibling}".format_map(site.places)
    page = visit(path, width=390)
    assert not page.get_by_text("unified", exact=True).is_visible()
    page.get_by_text("Options", exact=True).click()
    assert page.get_by_text("unified", exact=True).is_visible()
    page = visit(path, width=1440)
    assert page.get_by_text("unified", exact=True).is_visible()
