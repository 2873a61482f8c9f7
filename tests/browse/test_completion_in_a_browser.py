"""Tests of the query line's completion in a browser: lists that arrive late, however slow the typing or the answers."""

import pytest
from playwright.sync_api import expect

from tests.factories import make_sample
from tests.pages import open_page

__all__ = ["open_page"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Each holds one answer from when it is awaited ("held") until RELEASE.
HOLD_LIST_OF_GENER = """() => {
  const ask = window.fetch;
  window.held = new Promise((reached) => {
    window.fetch = (url) => !url.includes("text=gener&") ? ask(url)
      : new Promise((done) => { window.release = () => done(ask(url)); reached(); });
  });
}"""
HOLD_BODY_OF_GENER = """() => {
  const read = Response.prototype.json;
  window.held = new Promise((reached) => {
    Response.prototype.json = function () {
      return !this.url.includes("text=gener&") ? read.call(this)
        : new Promise((done) => { window.release = () => done(read.call(this)); reached(); });
    };
  });
}"""
HELD = "async () => { await held; }"
RELEASE = "async () => { release(); await new Promise((done) => setTimeout(done, 50)); }"


@pytest.fixture
def page(open_page, transactional_db):
    make_sample(generator="writer-1")
    opened = open_page("/browse/?view=all")
    opened.keyboard.press("/")
    return opened


def line(page):
    return page.get_by_role("combobox", name="Filter and search")


def points_to(page, text):
    """Wait until the option that Enter would take is the one with this text."""
    expect(line(page)).to_have_attribute("aria-activedescendant", "query-completion-0")
    expect(page.locator('#query-completion-0[aria-selected="true"]')).to_contain_text(text)


def test_a_choice_that_later_letters_exclude_moves_to_the_option_in_its_place(page):
    page.keyboard.type("g")
    page.get_by_role("option", name="gain:").wait_for()
    page.keyboard.press("ArrowDown")
    points_to(page, "gain:")
    page.keyboard.type("ener")
    points_to(page, "generator:")
    page.keyboard.press("Enter")
    assert line(page).input_value() == "generator:"


def test_a_choice_that_letters_typed_since_exclude_is_not_taken(page):
    page.keyboard.type("g")
    page.get_by_role("option", name="gain:").wait_for()
    page.keyboard.press("ArrowDown")
    page.evaluate(HOLD_LIST_OF_GENER)
    page.keyboard.type("ener")
    page.keyboard.press("Enter")
    assert line(page).input_value() == "gener"
    page.evaluate(HELD)
    page.evaluate(RELEASE)
    page.get_by_role("option", name="generator:").wait_for()


def test_a_list_whose_text_arrives_after_that_of_a_newer_one_is_dropped(page):
    page.evaluate(HOLD_BODY_OF_GENER)
    page.keyboard.type("gene")
    page.get_by_role("option", name="generator:").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.type("r")
    page.evaluate(HELD)
    page.keyboard.press("Enter")
    page.get_by_role("option", name="writer-1").wait_for()
    page.evaluate(RELEASE)
    assert page.get_by_role("option").all_inner_texts()[0].startswith("writer-1")
