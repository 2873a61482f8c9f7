"""Tests of code search, clusters and ranges in a browser: by keyboard, by mouse, and without JavaScript."""

import re

import pytest
from playwright.sync_api import expect

from datasets_app.models import Sample
from datasets_app.similarity import index
from tests.axe import violations
from tests.factories import make_sample
from tests.pages import open_page

__all__ = ["open_page"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
KERNEL = "class ModelNew:\n" + "".join(f"    x{n} = torch.op_{n}(x, {n}) + {n}\n" for n in range(40))


@pytest.fixture
def samples(transactional_db):
    make_sample(kernel="float 4 * p", trace_tokens=100)
    made = [make_sample(kernel=f"{KERNEL}    p = (float4 *)x + {n}\n", trace_tokens=5000) for n in range(2)]
    index.index(list(Sample.objects.values_list("pk", flat=True)))
    return made


def expect_rows(page, count):
    expect(page.locator("[data-row-link]")).to_have_count(count)


@pytest.mark.parametrize("javascript", [True, False])
def test_code_is_found_from_the_form_beside_the_list(open_page, samples, javascript):
    page = open_page("/browse/?has_trace=yes", javascript=javascript)
    page.get_by_label("In the code").fill("float4 *")
    page.get_by_label("In the code").press("Enter")
    page.wait_for_url("**code=float4**")
    assert "has_trace=yes" in page.url
    expect_rows(page, 2)
    assert "whose code contains “float4 *”" in page.locator("h1").inner_text()


def test_clusters_are_counted_when_they_are_opened_and_without_javascript_on_a_page_of_their_own(
    open_page, samples
):
    page = open_page("/browse/?view=all")
    page.get_by_text("Near-duplicates, by cluster").press("Enter")
    value = page.locator('[data-facet="cluster"] .facet-value')
    value.wait_for()
    assert violations(page) == []
    value.click()
    page.wait_for_url("**cluster=**")
    expect_rows(page, 2)
    plain = open_page("/browse/?view=all", javascript=False)
    plain.get_by_text("Near-duplicates, by cluster").click()
    plain.get_by_role("link", name="Count them").click()
    plain.get_by_role("link", name=re.compile("^List the samples of cluster")).click()
    expect_rows(plain, 2)


def test_a_range_is_set_by_its_numbers_without_javascript(open_page, samples):
    page = open_page("/browse/?view=all", javascript=False)
    page.get_by_text("Trace length and speedups").click()
    page.get_by_label("Trace, tokens: at least").fill("1000")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**tokens_min=1000**")
    expect_rows(page, 2)


def test_an_option_replaces_what_was_typed_since_its_list_was_asked_for(open_page, samples):
    page = open_page("/browse/")
    page.route("**text=langu&**", lambda route: None)  # never answered: the list stays that of "lan"
    line = page.get_by_role("combobox", name="Filter and search")
    line.focus()
    page.keyboard.type("lan")
    page.get_by_role("option", name="language:").wait_for()
    page.keyboard.type("gu")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert line.input_value() == "language:"


def test_a_list_that_arrives_late_keeps_the_option_that_was_pointed_at(open_page, samples):
    page = open_page("/browse/")
    held = []
    page.route("**text=langu&**", lambda route: held.append(route))
    line = page.get_by_role("combobox", name="Filter and search")
    line.focus()
    page.keyboard.type("lan")
    page.get_by_role("option", name="language:").wait_for()
    with page.expect_request("**text=langu&**"):
        page.keyboard.type("gu")
    page.keyboard.press("ArrowDown")
    with page.expect_response("**text=langu&**") as late:
        held[0].continue_()
    late.value.finished()
    page.get_by_role("option", name="language:", selected=True).wait_for()
    page.keyboard.press("Enter")
    assert line.input_value() == "language:"


def test_the_line_of_the_analysis_page_is_completed_by_keyboard(open_page, samples):
    page = open_page("/analysis/")
    page.get_by_role("combobox", name="Filter and search").focus()
    page.keyboard.type("langu")
    page.get_by_role("option", name="language:").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("option", name="python").wait_for()
    page.keyboard.type("python")
    page.keyboard.press("Enter")
    page.wait_for_url("**/analysis/?language=python")
