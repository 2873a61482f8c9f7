"""Tests of the API's page, whose resources are folded: a link, a search and print reach what a fold holds."""

import pytest

from tests.browser.states.conftest import Visitor

pytestmark = pytest.mark.browser
ENTRY, SCHEMA = "/api/docs/#samples_list", "/api/docs/#shape-SampleRow"


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def reader(request, browser, site):
    visitor = Visitor(browser, site.url, site.people.reader, java_script_enabled=request.param)
    yield visitor
    visitor.context.close()
    assert visitor.complaints == []


@pytest.mark.parametrize("path", [ENTRY, SCHEMA])
def test_a_link_to_an_entry_opens_the_folds_around_it(reader, path):
    page = reader.open(path)
    entry = page.locator(path.partition("/docs/")[2])
    assert entry.is_visible()
    assert -60 <= entry.bounding_box()["y"] <= 200


def test_what_is_folded_is_printed(reader):
    page = reader.open("/api/docs/")
    entry = page.locator("#samples_list")
    assert not entry.is_visible()
    page.emulate_media(media="print")
    assert entry.bounding_box()["height"] > 100


def test_the_folded_page_is_a_few_screens_and_one_button_opens_all_of_it(visit):
    page = visit("/api/docs/", "reader")
    folded = page.evaluate("document.documentElement.scrollHeight")
    assert folded < 3000
    page.get_by_role("button", name="Open all").click()
    assert page.evaluate("document.documentElement.scrollHeight") > 10 * folded
    assert page.locator("#shape-SampleRow").is_visible()
