"""Tests that a long difference is loaded in windows of its rows."""

import re
from html import unescape

import pytest

from datasets_app.browse.panes import compared
from tests.factories import make_sample

ROWS, WINDOW_ROWS = 40, 15


@pytest.fixture(autouse=True)
def small_windows(monkeypatch):
    monkeypatch.setattr(compared, "WINDOW_ROWS", WINDOW_ROWS)


def text(word: str) -> str:
    return "".join(f"{word}{number} = {number}\n" for number in range(1, ROWS + 1))


def test_the_windows_of_a_difference_make_up_the_whole():
    first, seen = 1, []
    while first:
        window = compared.compared(text("a"), text("b"), False, False, first)
        rows = [row for hunk in window.hunks for row in hunk.rows]
        assert len(rows) <= WINDOW_ROWS
        assert (window.rows, window.added, window.removed) == (ROWS, ROWS, ROWS)
        seen += rows
        first = window.next
    assert [(row.left, row.right) for row in seen] == [(number, number) for number in range(1, ROWS + 1)]


@pytest.mark.django_db
def test_a_page_shows_a_window_and_leads_to_the_next(reader):
    sample, other = make_sample(kernel=text("a")), make_sample(kernel=text("b"))
    address, shown = f"{sample.get_absolute_url()}?against={other.pk}", 0
    for _ in range(3):
        page = reader.get(address).content.decode()
        shown += page.count('<td class="left">')
        ahead = re.search(r'href="([^"]*row=\d+)#diff-title">Show more', page)
        address = f"{sample.get_absolute_url()}{unescape(ahead[1])}" if ahead else ""
    assert not address
    assert shown == ROWS
