"""Tests of a trace of 400 KB and a kernel of 10,000 lines: load time, outline, and permalinks in sight."""

import time

import pytest

from tests.browser.states import texts
from tests.browser.states.judging import sideways

pytestmark = pytest.mark.browser

ANSWER_SECONDS = 4.0  # on a machine with other work; the speed itself is measured in benchmarks/


@pytest.mark.parametrize("name", ["long-trace", "long-kernel"])
def test_a_heavy_text_is_usable(site, visit, judge, name):
    began = time.perf_counter()
    page = visit(site.places[f"sample {name}"])
    assert time.perf_counter() - began < 15 * ANSWER_SECONDS
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert sideways(page) <= 0
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            judge.picture(page, f"{name}-{width}-{scheme}")


def test_a_permalink_to_a_far_line_lands_in_sight(site, visit):
    page = visit(f"{site.places['sample long-kernel']}#kernel-L{texts.LINKED_LINE}")
    page.wait_for_selector(f"#kernel-L{texts.LINKED_LINE}.is-marked")
    assert in_sight(page, f"#kernel-L{texts.LINKED_LINE}")
    assert page.locator("#pane-kernel .l.is-marked").count() == 1


def test_a_permalink_to_a_far_line_lands_in_sight_on_a_phone(site, visit):
    page = visit(f"{site.places['sample long-kernel']}#kernel-L{texts.LINKED_LINE}", width=390)
    page.wait_for_selector(f"#kernel-L{texts.LINKED_LINE}.is-marked")
    assert in_sight(page, f"#kernel-L{texts.LINKED_LINE}")


def test_the_outline_of_a_long_kernel_leads_to_its_end(site, visit, judge):
    page = visit(site.places["sample long-kernel"])
    page.locator("#pane-kernel summary", has_text="Outline").click()
    judge.picture(page, "outline of a long kernel")
    last = page.locator("#pane-kernel .jump-list a").last
    assert last.is_visible() or page.locator("#pane-kernel .jump-list a").count() > 100
    last.click()
    page.wait_for_selector("#pane-kernel .l.is-marked")
    assert in_sight(page, "#pane-kernel .l.is-marked")


def test_the_outline_of_a_long_trace_leads_to_its_end(site, visit, judge):
    page = visit(site.places["sample long-trace"])
    page.locator("#pane-trace summary", has_text="Claims").click()
    judge.picture(page, "claims of a long trace")
    page.locator("#pane-trace summary", has_text="Claims").click()
    page.locator("#pane-trace summary", has_text="Outline").first.click()
    judge.picture(page, "outline of a long trace")
    page.locator("#pane-trace .jump-list a").last.click()
    page.wait_for_selector(".segment.is-marked")
    assert in_sight(page, ".segment.is-marked > summary")


def test_find_reaches_the_last_line_of_a_long_kernel(site, visit):
    page = visit(site.places["sample long-kernel"])
    page.keyboard.press("/")
    page.keyboard.type("x.clamp")
    page.keyboard.press("Enter")  # even if the part that holds it is not loaded yet
    page.wait_for_function("() => document.querySelector('#pane-kernel .pane-body').scrollTop > 100000")


def test_a_long_outline_is_narrowed_by_a_word_and_enter_goes_there(site, visit):
    page = visit(site.places["sample long-kernel"])
    page.locator("#pane-kernel summary", has_text="Outline").click()
    field = page.locator("#pane-kernel").get_by_label("Narrow the outline")
    field.fill("scale_rows_5000")
    assert page.locator("#pane-kernel .jump-list li:visible").count() == 1
    field.press("Enter")
    page.wait_for_selector("#pane-kernel .l.is-marked")
    assert in_sight(page, "#pane-kernel .l.is-marked")


def in_sight(page, selector: str) -> bool:
    """Return whether the middle of the element is within the window and within its pane."""
    page.wait_for_timeout(150)  # unpainted parts get their true height
    return page.locator(selector).first.evaluate(
        """element => {
          const [box, pane] = [element.getBoundingClientRect(), element.closest(".pane-body").getBoundingClientRect()];
          const middle = (box.top + box.bottom) / 2;
          return middle > Math.max(0, pane.top) && middle < Math.min(innerHeight, pane.bottom);
        }"""
    )
