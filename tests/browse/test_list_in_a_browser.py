"""Tests of the list in a browser: completion, histograms, verbs over many rows, undo, and axe's checks."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import expect

from datasets_app.accounts.actor import COMMAND
from datasets_app.browse.list import saved_views, tags
from datasets_app.models import BulkAction, SampleTag
from tests.axe import violations
from tests.factories import acting, make_sample, make_task
from tests.pages import open_page

__all__ = ["open_page"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def samples(transactional_db):
    made = [
        make_sample(
            make_task(name=f"softmax_{number}"),
            generator=f"writer-{number}",
            trace_tokens=1000 * (number + 1),
            outcome="passed",
            verified_at=timezone.now(),
            measured_speedup=0.5 + number,
        )
        for number in range(4)
    ]
    tags.put_on(COMMAND, made[0], tags.make(COMMAND, "needs-look", "amber"))
    return made


def test_a_filter_is_typed_with_completion_by_keyboard_alone(open_page, samples):
    page = open_page("/browse/?view=all")
    page.keyboard.press("/")
    page.keyboard.type("gener")
    expect(page.get_by_role("option").first).to_contain_text("generator:")  # "g" alone has others before it
    page.keyboard.press("ArrowDown")
    line = page.get_by_role("combobox", name="Filter and search")
    assert line.get_attribute("aria-activedescendant") == "query-completion-0"
    page.keyboard.press("Enter")
    assert line.input_value() == "generator:"
    page.get_by_role("option", name="writer-2").wait_for()
    page.keyboard.type("writer-2")
    page.get_by_role("option", name="writer-1").wait_for(state="detached")
    page.keyboard.press("ArrowDown")
    assert line.get_attribute("aria-activedescendant") == "query-completion-0"
    assert violations(page) == []
    page.keyboard.press("Tab")
    assert line.input_value() == "generator:writer-2 "
    page.keyboard.press("Enter")
    page.wait_for_url("**/browse/?generator=writer-2")


def test_a_range_is_dragged_over_its_histogram(open_page, samples):
    page = open_page("/browse/?view=all")
    page.get_by_text("Trace length and speedups").click()
    bars = page.locator('.histogram[data-range="tokens"] svg')
    bars.scroll_into_view_if_needed()
    box = bars.bounding_box()
    page.mouse.move(box["x"] + 1, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 10, steps=4)
    page.mouse.up()
    page.wait_for_url("**tokens_max**")
    assert 0 < page.locator("[data-row-link]").count() < 4
    page.locator('.histogram[data-range="tokens"] rect.is-in').first.wait_for()


def test_a_handle_is_moved_by_keyboard_and_says_its_value(open_page, samples):
    page = open_page("/browse/?view=all")
    page.get_by_text("Trace length and speedups").click()
    handle = page.get_by_label("Trace: at least", exact=True)
    expect(handle).to_have_attribute("aria-valuetext", "no bound")
    handle.focus()
    page.keyboard.press("ArrowRight")
    expect(handle).to_have_attribute("aria-valuetext", "1500")
    assert page.get_by_label("Trace, tokens: at least").input_value() == "1500"
    page.keyboard.press("Enter")
    page.wait_for_url("**tokens_min=1500**")
    assert page.locator("[data-row-link]").count() == 3


def test_rows_are_tagged_by_keyboard_alone_and_it_is_undone(open_page, samples):
    page = open_page("/browse/?view=all")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("t")
    page.keyboard.type("fast")
    assert violations(page) == []
    page.keyboard.press("Enter")
    page.get_by_text("Tagged 1 sample with fast.").wait_for()
    assert SampleTag.objects.filter(tag__name="fast").count() == 1
    page.wait_for_load_state()  # the keys of the new page work once it is fully loaded
    page.keyboard.press("z")
    page.get_by_text("Undone for 1 sample").wait_for()
    assert SampleTag.objects.filter(tag__name="fast").count() == 0


def test_the_whole_result_is_tagged_and_undone_without_javascript(open_page, samples):
    page = open_page("/browse/?generator=writer-1&generator=writer-2", javascript=False)
    page.locator('[data-panel="tag"] summary').click()
    page.get_by_label("Tag", exact=True).fill("fast")
    page.get_by_role("button", name="Tag: all 2", exact=True).click()
    expect(page.locator("#bar")).to_contain_text("Tagged 2 samples with fast")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#bar")).to_contain_text("Undone for 2 samples")


def test_enter_in_a_sheet_does_nothing_while_no_row_is_ticked(open_page, samples):
    page = open_page("/browse/?view=all")
    page.keyboard.press("t")
    page.keyboard.type("fast")
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert not BulkAction.objects.exists()


def test_a_list_is_saved_as_a_view_and_opened_by_its_name(open_page, samples):
    page = open_page("/browse/?generator=writer-1&density=compact")
    page.keyboard.press("s")
    page.keyboard.type("ones")
    page.keyboard.press("Enter")
    page.get_by_text("Saved as ones.").wait_for()
    page.goto(page.url.split("/browse/")[0] + "/browse/views/")
    page.get_by_role("link", name="ones").click()
    page.wait_for_url("**generator=writer-1**")
    assert page.locator("table.is-compact [data-row-link]").count() == 1


def test_the_sheet_of_keys_lists_those_of_the_list(open_page, samples):
    page = open_page("/browse/?view=all")
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keys")
    for what in ("Select the row", "Tag the selection", "Save this list as a view"):
        assert what in sheet.inner_text()
    assert "Undo the last action" not in sheet.inner_text()  # nothing to undo yet


def running(user):
    BulkAction.objects.create(
        action="tag", params={"tag": "x"}, actor=user, total=5000, seen=1200, state="running"
    )


@pytest.mark.long  # tests/browser/states looks at these pages, filled, and at an action that runs
@pytest.mark.parametrize(
    ("path", "width", "scheme"),
    [
        ("/browse/?view=all", 1440, "light"),
        ("/browse/?view=all", 390, "dark"),
        ("/browse/?query=outcome:passd+outcom:x", 390, "light"),
        ("/browse/views/", 390, "light"),
        ("/browse/tags/", 1440, "dark"),
    ],
)
def test_axe_finds_nothing_on_any_state_of_the_list(open_page, samples, path, width, scheme):
    page = open_page("/browse/views/", width, scheme, refused="query=" in path)
    me = User.objects.get(groups__name="annotator")
    running(me)
    saved_views.save(acting(me), "fast ones", "outcome=passed", shared=True)
    page.goto(page.url.split("/browse/")[0] + path)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_space_previews_a_row_over_the_list_and_leaves_the_focus_there(open_page, samples):
    page = open_page("/browse/?view=all")
    page.keyboard.press("j")
    page.keyboard.press("Space")
    page.get_by_role("dialog", name="Preview of the sample").get_by_text("Kernel, from line 1").wait_for()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("dialog", name="Preview of the sample").wait_for(state="hidden")
    assert page.evaluate("document.activeElement.matches('[data-row-link]')")
    page.keyboard.press("Space")
    page.get_by_role("dialog", name="Preview of the sample").wait_for()
    page.locator("#preview pre").focus()
    page.keyboard.press("Space")
    page.get_by_role("dialog", name="Preview of the sample").wait_for(state="hidden")
    assert "/browse/" in page.url
