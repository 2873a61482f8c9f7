"""The panes as only a browser shows them: sizes, find, notes, claims, and all of it without JavaScript."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browse.test_sample_page import KERNEL
from tests.factories import make_sample, make_task
from tests.pages import RULES, open_page

__all__ = ["open_page"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TRACE = """The plan is simple.

The kernel uses shared memory. It is launched with blocks of 64 threads.

The function `scale_rows` doubles.
"""


@pytest.fixture
def sample(transactional_db):
    return make_sample(make_task(), kernel=KERNEL, reasoning=TRACE)


def width(page, pane):
    return page.locator(f"#pane-{pane}").bounding_box()["width"]


def test_a_bar_between_panes_moves_by_keys_and_is_remembered(open_page, sample):
    page = open_page(sample.get_absolute_url())
    before = width(page, "trace")
    bar = page.get_by_role("separator", name="Width of the trace and the kernel")
    for _ in range(3):
        bar.press("ArrowRight")
    wider = width(page, "trace")
    assert wider > before + 40
    page.reload()
    assert width(page, "trace") == pytest.approx(wider, abs=2)
    page.get_by_role("separator", name="Width of the trace and the kernel").press("Home")
    assert width(page, "trace") == pytest.approx(before, abs=2)


def test_find_counts_over_the_three_texts_and_steps_through_them(open_page, sample):
    page = open_page(sample.get_absolute_url())
    page.keyboard.press("/")
    page.keyboard.type("scale_rows")
    output = page.locator("[data-find] output")
    output.get_by_text("3: program 0, trace 1, kernel 2").wait_for()
    page.keyboard.press("Enter")
    assert output.inner_text().startswith("1 of 3")
    page.keyboard.press("Shift+Enter")
    assert output.inner_text().startswith("3 of 3")
    page.keyboard.press("Escape")
    assert output.inner_text() == ""


def test_a_note_on_a_built_in_comes_with_the_focus_and_goes_with_escape(open_page, sample):
    page = open_page(sample.get_absolute_url())
    page.locator("#pane-kernel .pane-body").focus()
    page.keyboard.press("Tab")
    hint = page.get_by_role("tooltip")
    hint.wait_for()
    assert "launched from the host" in hint.inner_text()
    page.keyboard.press("Escape")
    assert hint.is_hidden()


def test_a_mark_in_the_trace_opens_its_claim_and_the_claim_leads_to_its_lines(open_page, sample):
    page = open_page(sample.get_absolute_url())
    page.locator(".claim.is-contradicted").click()
    listed = page.locator(".claim-list > .is-marked")
    listed.wait_for()
    assert "Launched with 32 threads a block." in listed.inner_text()
    listed.locator(".claim-why a").click()
    page.wait_for_function("location.hash.startsWith('#kernel-L')")
    assert page.locator("#pane-kernel .l.is-marked").count() == 1


def test_pointing_at_a_name_of_the_trace_shows_its_line(open_page, sample):
    page = open_page(sample.get_absolute_url())
    page.locator("#pane-trace .to-line").hover()
    assert page.locator("#pane-kernel .l.is-pointed").count() == 1


def test_without_javascript_lists_open_and_links_lead_to_lines(open_page, sample):
    page = open_page(sample.get_absolute_url(), javascript=False)
    page.locator("#pane-kernel .jump summary").first.click()
    page.locator("#pane-kernel .jump-list a").first.click()
    assert "#kernel-L" in page.url
    page.goto(page.url.partition("#")[0] + "?against=operators")
    assert page.get_by_role("heading", name="The reference, operator by operator").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_with_the_lists_open(open_page, sample, scheme):
    page = open_page(sample.get_absolute_url(), scheme=scheme)
    for summary in page.locator(".jump summary").all():
        summary.evaluate("summary => { summary.parentElement.open = true; }")
    found = Axe().run(page, options=RULES)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("path", ["?against=operators", "?against=reference"])
@pytest.mark.parametrize("width", [390, 1440])
def test_axe_finds_nothing_in_comparisons(open_page, sample, path, width):
    page = open_page(f"{sample.get_absolute_url()}{path}", width=width)
    found = Axe().run(page, options=RULES)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_stepping_through_places_leaves_the_field_in_sight(open_page, transactional_db):
    long = KERNEL + "\n".join(f"value_{number} = {number}" for number in range(400)) + "\nlast_place = 1\n"
    page = open_page(make_sample(make_task(), kernel=long).get_absolute_url())
    page.keyboard.press("/")
    page.keyboard.type("last_place")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('#pane-kernel .pane-body').scrollTop > 1000")
    assert page.evaluate("scrollY") == 0
