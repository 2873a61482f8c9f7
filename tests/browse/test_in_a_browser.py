"""Tests of browser behaviour: keys, ranges in the address, folding, the phone layout, and axe's checks."""

import pytest
from django.utils import timezone

from tests.axe import violations
from tests.browse.test_sample_page import KERNEL, TRACE
from tests.factories import make_sample, make_task
from tests.pages import open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

__all__ = ["open_page"]


@pytest.fixture
def sample(transactional_db):
    task = make_task()
    make_sample(task)
    hostile = TRACE + "\n\nHmm, \x1b[31m<b>red</b>\u202e and `scale_rows`."
    return make_sample(
        task,
        kernel=KERNEL,
        reasoning=hostile,
        claimed_speedup=2.0,
        outcome="passed",
        measured_speedup=1.4,
        device="NVIDIA H200",
        verified_at=timezone.now(),
    )


def paths(sample):
    return {
        "list": "/browse/?outcome=passed",
        "nothing": "/browse/?outcome=cheated&q=zzz",
        "sample": sample.get_absolute_url() + "?in=",
        "difference": sample.get_absolute_url() + "?against=reference",
        "task": sample.task.get_absolute_url(),
    }


# tests/browser/states looks at the same pages, filled, wide in light and narrow in dark; here one each the other way.
ALWAYS = {("list", 390, "light"), ("sample", 1440, "dark")}
LOOKS = [
    pytest.param(name, width, scheme, marks=[] if (name, width, scheme) in ALWAYS else [pytest.mark.long])
    for name in ("list", "nothing", "sample", "difference", "task")
    for width in (1440, 390)
    for scheme in ("light", "dark")
]


@pytest.mark.parametrize(("name", "width", "scheme"), LOOKS)
def test_axe_finds_nothing_and_nothing_overflows(open_page, sample, name, width, scheme):
    page = open_page(paths(sample)[name], width, scheme)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_range_in_the_address_marks_its_lines_and_shift_click_makes_one(open_page, sample):
    page = open_page(sample.get_absolute_url() + "#kernel-L5-L7")
    assert page.locator(".l.is-marked").evaluate_all("lines => lines.map(line => line.id)") == [
        "kernel-L5",
        "kernel-L6",
        "kernel-L7",
    ]
    page.locator("#program-L1 .ln").click()
    page.locator("#program-L3 .ln").click(modifiers=["Shift"])
    assert page.url.endswith("#program-L1-L3")
    assert page.locator(".l.is-marked").count() == 3


def test_brackets_fold_panes_and_the_fold_is_remembered(open_page, sample):
    page = open_page(sample.get_absolute_url())
    body = page.locator("#pane-program .pane-body")
    assert body.is_visible()
    page.keyboard.press("[")
    assert not body.is_visible()
    page.reload()
    assert not body.is_visible()
    page.keyboard.press("[")
    assert body.is_visible()


def test_a_link_into_a_folded_pane_opens_it(open_page, sample):
    page = open_page(sample.get_absolute_url())
    page.keyboard.press("]")
    assert not page.locator("#pane-kernel .pane-body").is_visible()
    page.locator(".to-line").first.click()
    assert page.locator("#kernel-L5").is_visible()


def test_following_a_line_scrolls_its_pane_and_the_page_no_further_than_to_show_it(open_page, sample):
    page = open_page(sample.get_absolute_url())
    page.locator("#pane-kernel summary").first.click()
    page.locator("#pane-kernel .jump-list a").last.click()
    assert page.locator("#pane-kernel .l.is-marked").count() == 1
    pane = "document.getElementById('pane-kernel').getBoundingClientRect()"
    margin_px = 8  # the pane's own, from panes.css
    assert page.evaluate(f"scrollY === 0 || Math.abs({pane}.bottom - innerHeight + {margin_px}) < 2")
    page.go_back()
    assert page.locator(".l.is-marked").count() == 0


def test_a_phone_shows_one_pane_and_switches_without_javascript(open_page, sample):
    page = open_page(sample.get_absolute_url(), width=390, javascript=False)
    assert page.locator("#pane-kernel").is_visible()
    page.locator('label[for="one-trace"]').click()
    assert page.locator("#pane-trace").is_visible()
    assert not page.locator("#pane-kernel").is_visible()


def test_rows_are_walked_opened_and_left_by_keyboard_alone(open_page, sample):
    page = open_page("/browse/?sort=measured")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/samples/**")
    first = page.url
    page.keyboard.press("n")
    page.wait_for_url(lambda url: url != first)
    page.keyboard.press("p")
    page.wait_for_url(first)


def test_ticked_rows_are_counted_and_a_range_is_ticked_with_shift(open_page, sample):
    for _ in range(3):
        make_sample()
    page = open_page("/browse/")
    boxes = page.locator('input[name="sample"]')
    assert page.locator("[value='verify:selected']").is_disabled()
    boxes.nth(0).click()
    boxes.nth(2).click(modifiers=["Shift"])
    assert page.locator("#picked").inner_text() == "3 selected"
    assert page.locator("[value='verify:selected']").is_enabled()


def test_the_query_line_is_reached_by_slash_and_answers(open_page, sample):
    page = open_page("/browse/")
    page.keyboard.press("/")
    page.keyboard.type("outcome:passed scale_rows")
    page.keyboard.press("Enter")
    page.wait_for_url("**/browse/?outcome=passed&q=scale_rows")
    assert page.get_by_role("heading", level=1).inner_text() == "Passed samples that mention “scale_rows”"
