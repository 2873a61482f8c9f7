"""Tests that the keyboard reaches everything with visible focus, and that the sheet lists the page's keys."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
MOST_TABS = 400
AT_ONCE = 20  # tabs between two looks at what they reached

PAGES = {
    "browse": ("/browse/?outcome=passed", "annotator"),
    "sample": ("{sample alone}", "annotator"),
    "diff": ("{sample}?against={sibling}", "reader"),
    "task": ("{task}", "reader"),
    "review": ("{review hostile}", "annotator"),  # no part of it is fetched again meanwhile
    "verify": ("/verify/?outcome=build_error", "annotator"),
    "evidence": ("{evidence}", "annotator"),
    "recipe": ("/curate/concur/", "curator"),
    "ingest": ("/ingest/", "curator"),
    "account": ("/account/", "annotator"),
}
# Focusable and present: not hidden, not disabled, in no closed part, no unselected choice of a radio group.
WORKABLE = """() => {
  const all = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]");
  const open = (one) => {
    const shut = one.closest("details:not([open])");
    return !shut || (one.matches("summary") && one.parentElement === shut);
  };
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest("dialog, [hidden]");
  const there = (one) => isShown(one) && open(one);
  const wanted = [...all].filter((one) => one.tabIndex >= 0 && !one.disabled && one.id !== "main"
    && !(one.type === "radio" && !one.checked) && there(one));
  wanted.forEach((one, at) => { one.dataset.workable = String(at); });
  return wanted.map((one) => one.outerHTML.slice(0, 120));
}"""
SHOW_LATE_PARTS = (
    "document.querySelectorAll(`[hx-trigger='intersect once']`).forEach((one) => one.scrollIntoView())"
)
# A part that is fetched again every few seconds would replace elements that are counted.
STAY = """() => ["htmx:beforeRequest", "htmx:beforeSwap"].forEach((name) =>
  document.body.addEventListener(name, (event) => event.preventDefault()))"""
# Keep each element that gets the focus, and whether that is visible on it or, for a hidden input of ours, on its label.
FOLLOW = """() => {
  window.reached = [];
  document.addEventListener("focusin", ({ target: one }) => {
    const style = getComputedStyle(one);
    const isShownElsewhere = one.matches(".visually-hidden, input[type=file]");
    const isSeen = one.matches(":focus-visible") && (style.outlineStyle !== "none" || isShownElsewhere);
    window.reached.push([one.dataset.workable ?? "another", isSeen]);
  });
}"""


@pytest.mark.parametrize("name", PAGES)
def test_the_tab_key_reaches_everything_and_shows_where_it_is(site, visit, name):
    path, role = PAGES[name]
    page = visit(path.format_map(site.places), role)
    page.evaluate(SHOW_LATE_PARTS)  # otherwise a part may be fetched, and replaced, during the check
    expect(page.get_by_role("link", name="Find them")).to_have_count(0)  # its content has replaced it
    page.evaluate(STAY)
    page.evaluate("document.activeElement.blur()")
    workable = page.evaluate(WORKABLE)
    page.evaluate(FOLLOW)
    wanted, reached, unseen = {str(number) for number in range(len(workable))}, set(), set()
    for _ in range(0, MOST_TABS, AT_ONCE):
        for _ in range(AT_ONCE):
            page.keyboard.press("Tab")
        visits = page.evaluate("window.reached.splice(0)")
        reached |= {number for number, _ in visits}
        unseen |= {workable[int(number)] for number, is_seen in visits if number in wanted and not is_seen}
        if wanted <= reached:
            break
    missed = [html for number, html in enumerate(workable) if str(number) not in reached]
    assert (missed, unseen) == ([], set())


def keys_on_the_sheet(page: Page) -> list[str]:
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    return page.locator("#key-sheet dt:visible").all_inner_texts()


@pytest.mark.parametrize(
    ("path", "role", "there", "absent"),
    [
        ("{sample}", "annotator", {"v", "r", "[ ]", "w"}, {"n p", "y"}),
        ("{sample follows}?in=source%3Dtrying", "reader", {"n p", "y"}, {"v", "r"}),
        ("{sample}?against={sibling}", "annotator", {"v", "r", "/"}, {"[ ]", "t", "w", "y"}),
        ("{evidence}", "annotator", {"v", "/"}, {"j k"}),
        ("/browse/?view=all", "reader", {"/", "j k", "f"}, {"t", "x", "e", "z"}),
        ("/account/", "reader", {"?", "/"}, {"j k"}),
    ],
)
def test_the_sheet_lists_the_keys_that_work_here_and_no_others(site, visit, path, role, there, absent):
    page = visit(path.format_map(site.places), role)
    listed = set(keys_on_the_sheet(page))
    assert there <= listed
    assert not absent & listed
    letters = {one.get_attribute("data-key") for one in page.locator("[data-key]").all()}
    assert letters <= set(" ".join(listed).split())


def test_escape_closes_the_sheet_and_the_focus_returns(site, visit):
    page = visit("/browse/?view=all")
    page.keyboard.press("j")
    first = page.evaluate("document.activeElement.href")
    keys_on_the_sheet(page)
    page.keyboard.press("j")  # the sheet is open, so this moves nothing
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    assert page.evaluate("document.activeElement.href") == first


FOLLOWED = "document.querySelector('#pane-{} .pane-body').scrollTop"


def test_the_panes_follow_the_one_that_is_scrolled_where_it_is_asked_for(site, visit):
    page = visit(site.places["sample follows"])
    scroll = "document.querySelector('#pane-trace .pane-body').scrollTop = 900"
    page.evaluate(scroll)
    page.wait_for_timeout(200)
    assert page.evaluate(FOLLOWED.format("kernel")) == 0
    page.keyboard.press("y")
    expect(page.get_by_role("button", name="Panes follow")).to_have_attribute("aria-pressed", "true")
    page.evaluate("document.querySelector('#pane-trace .pane-body').scrollTop = 1500")
    page.wait_for_function(f"() => {FOLLOWED.format('kernel')} > 300")
    before = page.evaluate(FOLLOWED.format("trace"))
    page.locator("#pane-kernel .pane-body").hover()
    page.mouse.wheel(0, -20_000)
    page.wait_for_function(f"() => {FOLLOWED.format('trace')} < {before} - 300")
    page.keyboard.press("y")


def test_a_phone_changes_panes_by_the_arrow_keys_and_find_opens_the_pane_of_its_place(site, visit):
    page = visit(site.places["sample follows"], width=390)
    page.locator("#one-kernel").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#pane-trace")).to_be_visible()
    expect(page.locator("#pane-kernel")).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("def step_7")
    page.locator("[data-find] output", has_text="kernel 1").wait_for()
    page.keyboard.press("Enter")
    expect(page.locator("#pane-kernel")).to_be_visible()
    page.wait_for_function("() => document.querySelector('#pane-kernel .pane-body').scrollTop > 100")
