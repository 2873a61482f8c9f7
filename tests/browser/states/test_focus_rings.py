"""Tests that the ring of what has the focus is drawn whole: a part that scrolls cuts what is outside of it."""

import pytest

from tests.browser.states.conftest import NARROW, WIDE

pytestmark = pytest.mark.browser

CUT = """() => {
  const cut = new Set();
  const sides = (box, ring) => [["left", -1], ["top", -1], ["right", 1], ["bottom", 1]].filter(([side, way]) =>
    way * (ring.inner[side] - box[side]) < 1 && way * (ring.inner[side] + way * ring.reach - box[side]) > 1);
  for (const one of document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")) {
    if (!one.offsetParent || one.disabled) continue;
    one.focus({focusVisible: true});
    const {outlineOffset, outlineWidth, outlineStyle} = getComputedStyle(one);
    if (document.activeElement !== one || outlineStyle === "none") continue;
    const ring = {inner: one.getBoundingClientRect(), reach: parseFloat(outlineOffset) + parseFloat(outlineWidth)};
    for (let around = one.parentElement; around !== document.body; around = around.parentElement) {
      if (getComputedStyle(around).overflow === "visible") continue;
      const {left, top} = around.getBoundingClientRect();
      const [x, y] = [left + around.clientLeft, top + around.clientTop];
      const box = {left: x, top: y, right: x + around.clientWidth, bottom: y + around.clientHeight};
      for (const [side] of sides(box, ring)) cut.add(`${one.outerHTML.slice(0, 80)}: ${side} of ${around.className}`);
    }
  }
  return [...cut];
}"""


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("path", ["/browse/?q=relu", "{sample}", "/api/docs/"])
def test_no_part_cuts_the_ring_of_what_it_holds(site, visit, path, width):
    page = visit(path.format_map(site.places), "annotator", width)
    assert page.evaluate(CUT) == []
