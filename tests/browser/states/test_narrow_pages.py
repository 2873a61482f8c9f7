"""Tests of what narrow windows show: nothing covers anything else, and what matters is not pushed out of sight."""

import pytest

pytestmark = pytest.mark.browser
BELOW = """() => {
    const shown = [...document.querySelectorAll(".pane")].filter((pane) => pane.offsetHeight);
    const end = Math.max(...shown.map((pane) => pane.getBoundingClientRect().bottom));
    return document.getElementById("evidence-title").getBoundingClientRect().top - end;
}"""
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
    assert all(page.locator("th:has-text('Measured'), th:has-text('Claimed')").evaluate_all(IN_SIGHT))
