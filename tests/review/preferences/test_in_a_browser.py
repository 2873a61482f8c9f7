"""Tests of comparing two in a browser: by keyboard alone, on a phone, and without JavaScript."""

import pytest
from playwright.sync_api import expect

from datasets_app.models import Preference
from tests.axe import violations
from tests.factories import make_sample, make_task
from tests.pages import open_page

__all__ = ["open_page"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def tasks(transactional_db):
    return [[make_sample(task) for _ in range(2)] for task in (make_task(), make_task())]


def chosen():
    rows = Preference.objects.standing().order_by("created_at")
    return list(rows.values_list("choice", "reason"))


def wait_for_pair(page):
    page.wait_for_selector("#compare-form")
    page.wait_for_load_state()  # the keys of the new page work once it is fully loaded


def test_two_pairs_are_compared_by_keyboard_and_the_last_choice_is_taken_back_with_its_text(open_page, tasks):
    page = open_page("/compare/")
    page.keyboard.press("n")
    wait_for_pair(page)
    first = page.url
    page.keyboard.press("m")
    page.keyboard.type("fewer 1 2 0 s u")
    page.keyboard.press("d")
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    page.get_by_role("region", name="Lines that differ").wait_for()
    page.wait_for_load_state()
    assert page.locator("#reason").input_value() == "fewer 1 2 0 s ud"
    page.keyboard.press("1")
    page.wait_for_url(lambda url: url != first and "/compare/" in url)
    wait_for_pair(page)
    second = page.url
    assert chosen() == [("left", "fewer 1 2 0 s ud")]
    page.keyboard.press("0")
    page.get_by_text("No pair is left for you").wait_for()
    page.wait_for_load_state()
    page.keyboard.press("u")
    page.get_by_text("You took this choice back: a tie.").wait_for()
    page.wait_for_load_state()
    assert page.url.startswith(second)
    page.keyboard.press("2")
    page.get_by_text("No pair is left for you").wait_for()
    assert [choice for choice, _ in chosen()] == ["left", "right"]


def test_what_was_typed_for_a_skipped_pair_is_there_when_it_comes_again(open_page, tasks):
    page = open_page("/compare/next/")
    first = page.url
    page.locator("#reason").fill("half a thought")
    page.locator("h1").click()
    page.keyboard.press("s")
    page.wait_for_url(lambda url: url != first)
    page.goto(first)
    assert page.locator("#reason").input_value() == "half a thought"


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_the_page_of_a_pair_passes_axe_and_fits(open_page, tasks, width, scheme):
    page = open_page("/compare/next/", width, scheme)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    left, right = (page.locator(f"#pane-{side}").bounding_box() for side in ("left", "right"))
    assert (left["y"] == right["y"]) if width == 1440 else (right["y"] >= left["y"] + left["height"])


def test_without_javascript_a_pair_is_compared_by_its_buttons(open_page, tasks):
    page = open_page("/compare/", javascript=False)
    page.get_by_role("link", name="Start").click()
    page.locator("#reason").fill("typed")
    page.get_by_role("button", name="The difference").click()
    page.get_by_role("button", name="Left is better").click()
    expect(page.get_by_role("button", name="Undo your last choice")).to_be_visible()
    assert chosen() == [("left", "typed")]
    page.get_by_role("button", name="Undo your last choice").click()
    expect(page.locator("#reason")).to_have_value("typed")
    assert chosen() == []
