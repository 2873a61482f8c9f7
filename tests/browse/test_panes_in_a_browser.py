"""Tests of the panes in a browser: sizes, find, notes, claims, and all of them without JavaScript."""

import pytest
from playwright.sync_api import expect

from datasets_app.browse.sample.comparison import map_of
from tests.axe import violations
from tests.browse.test_long_kernel import LONG
from tests.browse.test_sample_page import KERNEL
from tests.factories import make_sample, make_task
from tests.pages import open_page

__all__ = ["open_page"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
IN_SIGHT = """line => {
  const [place, frame] = [line, line.closest(".pane-body")].map(one => one.getBoundingClientRect());
  return place.top >= frame.top && place.bottom <= frame.bottom;
}"""
IDS = "all => all.map((one) => one.id)"
REFERENCE = """import torch
class Model(torch.nn.Module):
    def forward(self, x):
        x = torch.relu(x)
        return torch.softmax(x, -1)
"""
MAPPED = """import torch
source = r'''
__global__ void fused(const float* x, float* y) {
    float v = fmaxf(x[threadIdx.x], 0.f);
    y[threadIdx.x] = expf(v - row_max);
}
'''
class ModelNew(torch.nn.Module):
    pass
"""
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
    assert "Launched with 32 threads per block." in listed.inner_text()
    listed.locator(".claim-why a").click()
    page.wait_for_function("() => location.hash.startsWith('#kernel-L')")
    assert page.locator("#pane-kernel .l.is-marked").count() == 1


def test_pointing_at_a_name_of_the_trace_shows_its_line(open_page, sample):
    page = open_page(sample.get_absolute_url())
    page.locator("#pane-trace .to-line").hover()
    assert page.locator("#pane-kernel .l.is-pointed").count() == 1


def pointed(page):
    return [line.split("-L")[1] for line in page.locator("#pane-kernel .is-pointed").evaluate_all(IDS)]


def test_an_operator_of_the_program_points_to_its_lines_in_the_kernel(open_page, transactional_db):
    sample = make_sample(make_task(REFERENCE), kernel=MAPPED)
    rows = {row.operator: row for row in map_of(sample).rows}
    wanted = [str(line) for line in rows["relu"].telling_lines]
    page = open_page(sample.get_absolute_url())
    page.locator(f"#program-L{rows['relu'].lines[0]}").hover()
    page.locator("#pane-kernel .is-pointed").first.wait_for()
    assert pointed(page) == wanted
    page.mouse.move(0, 0)
    page.wait_for_function("() => !document.querySelector('.is-pointed')")
    page.locator("[data-operator-list] summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")  # the list's first link: what is focused is pointed to as well
    assert pointed(page) == [str(line) for line in map_of(sample).rows[0].telling_lines]


def test_the_list_of_operators_opens_at_once_or_is_a_page_without_javascript(open_page, sample):
    page = open_page(sample.get_absolute_url())
    page.get_by_role("link", name="Operators").click()
    expect(page.locator("[data-operator-list] .jump-panel")).to_be_visible()
    page = open_page(sample.get_absolute_url(), javascript=False)
    page.get_by_role("link", name="Operators").click()
    expect(page.get_by_role("heading", name="The reference, operator by operator")).to_be_visible()


def test_without_javascript_lists_open_and_links_lead_to_lines(open_page, sample):
    page = open_page(sample.get_absolute_url(), javascript=False)
    page.locator("#pane-kernel .jump summary").first.click()
    page.locator("#pane-kernel .jump-list a").first.click()
    assert "#kernel-L" in page.url
    page.goto(page.url.partition("#")[0] + "?against=operators")
    assert page.get_by_role("heading", name="The reference, operator by operator").is_visible()


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.long), "dark"])
def test_axe_finds_nothing_with_the_lists_open(open_page, sample, scheme):
    page = open_page(sample.get_absolute_url(), scheme=scheme)
    for summary in page.locator(".jump summary").all():
        summary.evaluate("summary => { summary.parentElement.open = true; }")
    assert violations(page) == []


@pytest.mark.parametrize(
    ("path", "width"),
    [
        ("?against=operators", 390),
        ("?against=reference", 1440),
        pytest.param("?against=operators", 1440, marks=pytest.mark.long),
        pytest.param("?against=reference", 390, marks=pytest.mark.long),
    ],
)
def test_axe_finds_nothing_in_comparisons(open_page, sample, path, width):
    page = open_page(f"{sample.get_absolute_url()}{path}", width=width)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_stepping_through_places_leaves_the_field_in_sight(open_page, transactional_db):
    long = KERNEL + "\n".join(f"value_{number} = {number}" for number in range(400)) + "\nlast_place = 1\n"
    page = open_page(make_sample(make_task(), kernel=long).get_absolute_url())
    page.keyboard.press("/")
    page.keyboard.type("last_place")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#pane-kernel .pane-body').scrollTop > 1000")
    assert page.evaluate("scrollY") == 0


@pytest.fixture
def long_sample(transactional_db):
    return make_sample(make_task(), kernel=LONG, reasoning=TRACE)


def test_a_link_to_a_far_line_of_a_long_kernel_fetches_its_part(open_page, long_sample):
    page = open_page(f"{long_sample.get_absolute_url()}#kernel-L9040")
    line = page.locator("#kernel-L9040.is-marked")
    line.wait_for()
    assert line.evaluate(IN_SIGHT)
    assert page.locator("#kernel-L5000").count() == 0


def test_the_parts_of_a_long_kernel_come_as_they_are_scrolled_to(open_page, long_sample):
    page = open_page(long_sample.get_absolute_url())
    assert page.locator("#kernel-L1500").count() == 0
    page.locator("#kernel-L1000").evaluate("line => line.scrollIntoView()")
    page.locator("#kernel-L1500").wait_for(state="attached")


def test_find_looks_through_the_parts_that_were_not_there(open_page, long_sample):
    page = open_page(long_sample.get_absolute_url())
    page.keyboard.press("/")
    page.keyboard.type("y[9876]")
    page.locator("[data-find] output").get_by_text("1: program 0, trace 0, kernel 1").wait_for()


def test_the_outline_and_the_claims_of_a_long_kernel_follow_the_page(open_page, long_sample):
    page = open_page(long_sample.get_absolute_url())
    page.locator("#pane-kernel details.jump summary", has_text="Outline").click()
    page.locator("#pane-kernel .jump-kind.is-kernel").first.wait_for()
    page.locator("#pane-trace details.claims").wait_for()
    assert page.locator('#pane-trace a.to-line[href="#kernel-L5"]').count() == 1


def test_without_javascript_each_part_of_a_long_kernel_is_a_link(open_page, long_sample):
    page = open_page(long_sample.get_absolute_url(), javascript=False)
    page.get_by_role("link", name="Lines 9,001 to 10,000").click()
    expect(page.locator("#kernel-L9040")).to_have_count(1)


def test_a_kernel_opens_at_its_first_device_function_and_the_page_stays_at_its_top(
    open_page, transactional_db
):
    kernel = "# a line of the host\n" * 200 + KERNEL
    page = open_page(make_sample(kernel=kernel).get_absolute_url())
    place = page.locator("#pane-kernel .pane-body").get_attribute("data-open-at")
    page.wait_for_function(f"() => ({IN_SIGHT})(document.getElementById('{place}'))")
    assert page.evaluate("scrollY") == 0
