"""Tests that hostile model output is inert: no markup runs, no character controls or reorders a page."""

import re

import pytest

from tests.browser.states import texts

pytestmark = pytest.mark.browser

PAGES = {
    "hostile sample": "{sample hostile}",
    "hostile diff": "{sample hostile-turn}?against=parent",
    "hostile diff of the trace": "{sample hostile-turn}?against=parent&of=trace",
    "hostile operators": "{sample hostile}?against=operators",
    "hostile evidence": "{hostile evidence}",
    "hostile task": "{hostile task}",
    "hostile refused rows": "{refused}",
    "hostile list": "/browse/?source=trying&view=all",
    "hostile verifications": "/verify/?outcome=build_error",
    "hostile review": "{review hostile}",
    "hostile address": f"/samples/{texts.OVERRIDE}{texts.ESCAPE}/",
}
UNMARKED = {  # these show only names, or text that a browser has encoded
    *("hostile list", "hostile verifications", "hostile operators", "hostile task", "hostile address"),
}
# Every character in the page that hides or reorders is our own: a mark with the character's name.
STRAYS = """() => {
  const controls = /[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]/;
  const hidden = /[\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]/;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if ((controls.test(node.data) || hidden.test(node.data)) && !node.parentElement.closest("script, textarea"))
      found.push(node.parentElement.outerHTML.slice(0, 200));
  return found;
}"""


@pytest.mark.parametrize("name", PAGES)
def test_hostile_text_is_shown_inert(site, visit, judge, name):
    page = visit(PAGES[name].format_map(site.places), "annotator")
    assert page.title() != "taken over"
    assert page.locator("main img, main script:not([type='application/json'])").count() == 0
    assert page.evaluate(STRAYS) == []
    if name not in UNMARKED:
        signs = set(page.locator(".ctl").all_inner_texts())
        assert {"ESC", "RLO"} <= signs, signs
    judge.look(page, name)


def test_a_name_of_a_source_is_no_markup_in_a_figure(site, visit):
    page = visit("/analysis/", "reader")
    page.wait_for_selector("html[data-drawn]")
    drawn = " ".join(page.locator(".legendtext, .ytick text").all_text_contents())
    assert "<b><script>" in drawn
    assert page.locator(".legendtext [style*='bold'], .ytick [style*='bold']").count() == 0


def test_a_mark_names_its_character(site, visit):
    page = visit(site.places["sample hostile"])
    sign = page.locator("#pane-kernel .ctl", has_text="RLO").first
    assert re.match(r"U\+202E right-to-left override", sign.get_attribute("title"))
