"""Tests of the kernel beside its SASS in a browser: by pointer, by keyboard, without scripts, on a phone."""

import pytest

from tests.axe import violations
from tests.factories import make_sample
from tests.pages import open_page
from tests.verify.test_evidence import verified
from tests.verify.test_kernel_notes import KERNEL

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

__all__ = ["open_page"]


@pytest.fixture
def address(transactional_db):
    sample = make_sample(language="cuda", kernel=KERNEL)
    verified(sample=sample)
    return f"{sample.get_absolute_url()}?beside=sass"


def marked(page, name):
    return page.locator(f".sass-group.{name}").evaluate_all(
        "groups => groups.map(group => group.dataset.line)"
    )


def test_lines_and_instructions_point_at_each_other(address, open_page):
    page = open_page(address)
    page.locator("#kernel-L6").hover()
    assert marked(page, "is-pointed") == ["6"]
    page.locator("#sass-L5").hover()
    assert page.locator("#kernel-L5.is-pointed").count() == 1
    assert page.locator("#kernel-L6.is-pointed").count() == 0
    page.locator("#kernel-L6 .ln").click()
    assert marked(page, "is-marked") == ["6"]
    page.goto(f"{page.url.partition('#')[0]}&order=address")
    page.locator("#kernel-L5").hover()
    assert marked(page, "is-pointed") == ["5", "5"]


def test_the_keyboard_goes_from_instructions_to_their_line_and_back(address, open_page):
    page = open_page(address)
    page.locator("#sass-L6 a").focus()
    assert page.locator("#kernel-L6.is-pointed").count() == 1
    page.keyboard.press("Enter")
    assert page.locator("#kernel-L6.is-marked").count() == 1
    page.locator("#pane-sass summary").press("Enter")
    page.locator('#pane-sass a[href="#sass-L5"]').press("Enter")
    assert page.evaluate("document.querySelector(':target').id") == "sass-L5"


@pytest.mark.parametrize(
    ("width", "scheme"), [pytest.param(1440, "light", marks=pytest.mark.long), (390, "dark")]
)
def test_axe_finds_nothing_and_a_phone_shows_one_pane(address, open_page, width, scheme):
    page = open_page(address, width, scheme)
    if width < 1000:
        assert not page.locator("#pane-sass").is_visible()
        page.locator("label[for=one-sass]").click()
    assert page.locator("#pane-sass").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []
