"""Tests that axe, asked about a few elements of each look, finds the colours that are hard to read."""

from collections import Counter

import pytest

from tests.axe import PAGES, violations
from tests.factories import make_sample
from tests.pages import open_page

__all__ = ["open_page"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
KERNEL = "import torch\n" + "\n".join(f"value_{number} = {number} + 'text'" for number in range(60))
PAINT = """rule => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rule);
    document.adoptedStyleSheets = [sheet];
}"""


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_a_colour_that_is_hard_to_read_is_found_wherever_it_is(open_page, transactional_db, width, scheme):
    page = open_page(make_sample(kernel=KERNEL).get_absolute_url(), width, scheme)
    assert violations(page) == []
    faint = "color: #888 !important; background: #999 !important"
    for place in ("h1", "#pane-kernel span", "#pane-kernel .l:last-of-type", "footer a"):
        page.evaluate(PAINT, f"{place} {{ {faint} }}")
        assert [rule for rule, _ in violations(page)] == ["color-contrast"], place


def test_looks_that_earlier_pages_had_are_known_and_new_ones_are_found(open_page, transactional_db):
    page = open_page(make_sample(kernel=KERNEL).get_absolute_url())
    judged = Counter()
    for _ in range(PAGES):
        assert violations(page, judged) == []
    assert violations(page, judged) == []
    assert page.locator("[data-contrast]").count() == 0
    faint = "color: #888 !important; background: #999 !important"
    page.evaluate(PAINT, f"#pane-kernel .l:last-of-type {{ {faint} }}")
    for _ in range(PAGES + 1):  # what did not pass is not remembered
        assert [rule for rule, _ in violations(page, judged)] == ["color-contrast"]
