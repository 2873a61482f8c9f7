"""Tests of parts that refresh themselves: focus, log position and unfolded elements are preserved."""

import pytest
from playwright.sync_api import Page, Route

from datasets_app.models import Verification
from eval_app.attempts import leases
from tests.browser.states import cast

pytestmark = pytest.mark.browser

HELD = "window.held === document.activeElement && window.held.isConnected"


def hold(page: Page, selector: str) -> None:
    """Set the keyboard's focus and remember the element itself."""
    page.locator(selector).first.focus()
    page.evaluate("window.held = document.activeElement")


def tell(stage: str, detail: str) -> None:
    """Store the stage that a worker's heartbeat reports."""
    held = Verification.objects.get(state="running")
    leases.renew(
        "gpu-1", [{"verification": str(held.pk), "attempt": held.attempt, "stage": stage, "detail": detail}]
    )


def test_the_focus_stays_on_the_link_while_the_evidence_is_fetched_again(site, visit):
    page = visit(site.places["queued sample"])
    hold(page, "#evidence table a")
    for _ in range(2):
        page.wait_for_event("response", lambda answer: "/verify/samples/" in answer.url)
    page.wait_for_timeout(100)
    assert page.evaluate(HELD)


def test_the_focus_and_the_place_in_the_log_stay_while_it_grows(site, visit):
    for number in range(30):
        tell("build" if number % 2 else "trials", f"{number} of 40")
    page = visit(site.places["running sample"])
    hold(page, "#evidence .stage-log")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => window.held.scrollTop > 0")
    page.wait_for_timeout(300)
    place = page.evaluate("window.held.scrollTop")
    tell("trials", "31 of 40")
    page.locator("#evidence .stage-log", has_text="31 of 40").wait_for()
    assert page.evaluate(HELD)
    assert page.evaluate("window.held.scrollTop") == place


def test_a_log_that_is_read_at_its_end_follows_its_end(site, visit):
    for number in range(30):
        tell("build" if number % 2 else "trials", f"{number} of 50")
    page = visit(site.places["running"])
    page.locator(".stage-log").focus()
    page.keyboard.press("End")
    end = "log => log.scrollTop + log.clientHeight >= log.scrollHeight - 2 && log.scrollTop > 0"
    page.wait_for_function(f"() => ({end})(document.querySelector('.stage-log'))")
    page.wait_for_timeout(300)
    tell("trials", "33 of 50")
    page.locator(".stage-log", has_text="33 of 50").wait_for()
    assert page.locator(".stage-log").evaluate(end)


def test_what_was_unfolded_stays_so_and_the_workers_keep_the_focus(site, visit):
    cast.fleet()  # on a slow machine their last heartbeat is long ago
    page = visit("/verify/")
    page.locator("#verify-live details summary").first.press("Enter")
    hold(page, "#verify-live details summary")
    tell("trials", "39 of 40")
    page.locator("#verify-live", has_text="39 of 40").wait_for()
    assert page.evaluate(HELD)
    assert page.locator("#verify-live details").first.get_attribute("open") is not None


def test_a_part_whose_focused_link_is_gone_has_the_focus_itself(site, visit):
    page = visit("/")
    first = page.locator("[hx-swap=live-inside] tbody tr a").first
    first.evaluate("link => link.setAttribute('href', '/gone/')")
    hold(page, "[hx-swap=live-inside] tbody tr a")
    page.wait_for_function("() => !window.held.isConnected")
    assert page.evaluate("document.activeElement.getAttribute('hx-swap')") == "live-inside"


SHIFTS = """window.shifts = [];
new PerformanceObserver((list) => {
    for (const { hadRecentInput, sources, value } of list.getEntries())
        if (!hadRecentInput) window.shifts.push([value, sources.map(({ node }) =>
            (node?.outerHTML ?? node?.textContent ?? "").slice(0, 160))]);
}).observe({ type: "layout-shift", buffered: true })"""


@pytest.mark.parametrize("place", ["{sample}", "{to review}", "/analysis/"])
def test_nothing_moves_while_scripts_start(site, visit, place):
    page = visit(place.format_map(site.places))
    page.wait_for_load_state("networkidle")
    page.evaluate(SHIFTS)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    shifts = page.evaluate("window.shifts")
    assert sum(value for value, _ in shifts) < 0.02, shifts  # an eye notices five times as much


PLACES = "parts => parts.map(part => [part.getBoundingClientRect().x, part.getBoundingClientRect().width])"
PANES, STACKS = (".pane", '<div class="split"'), (".evidence-columns > .stack", '<div class="stack">')


@pytest.mark.parametrize(
    ("place", "parts", "arrived", "cut_at"),
    [
        ("sample", PANES, 1, 1),
        ("sample", PANES, 2, 2),
        ("sample alone", PANES, 1, 1),
        ("sample alone", PANES, 2, 2),
        ("evidence", STACKS, 1, 2),
    ],
)
def test_a_part_keeps_its_place_when_the_next_ones_arrive(site, visit, place, parts, arrived, cut_at):
    selector, mark = parts
    page = visit(site.places[place])
    whole = page.locator(selector).evaluate_all(PLACES)

    def cut(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=mark.join(answer.text().split(mark)[:cut_at]))

    page.route(f"**{site.places[place]}", cut)
    page.reload()
    assert page.locator(selector).evaluate_all(PLACES) == whole[:arrived]
    page.unroute_all()
