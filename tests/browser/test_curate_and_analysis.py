"""Tests of composing a recipe and reading the figures in a real Chromium, with JavaScript and without."""

import pytest
from playwright.sync_api import Browser, Page, expect

from datasets_app.curate.builtin import BUILTIN
from datasets_app.export.finish import finish_files
from datasets_app.models import Recipe
from tests.axe import violations
from tests.browser.conftest import Watched, new_context
from tests.curate.store import failed, frozen, passed
from tests.factories import make_task, make_user
from tests.pages import session_cookie

PAGES = (
    "/curate/",
    "/curate/concur/",
    "/curate/new/",
    "/curate/compare/",
    "/releases/",
    "/releases/first/",
    "/analysis/",
    "/maintenance/",
)
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def store(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path
    Recipe.objects.update_or_create(name="concur", defaults={**BUILTIN["concur"], "builtin": True})
    for number in range(8):
        task = make_task()
        passed(task, speedup=1.0 + number, trace_tokens=800 + 900 * number, language="cuda")
        failed(task=task, trace_tokens=2000 + 900 * number, language="cuda")


def signed_in(browser: Browser, live_server, **options) -> tuple[Page, Watched]:
    context = new_context(browser, base_url=live_server.url, **options)
    context.add_cookies([session_cookie(make_user("curator", "grace"), live_server.url)])
    page = context.new_page()
    return page, Watched(page)


@pytest.fixture
def page(browser: Browser, live_server):
    opened, watched = signed_in(browser, live_server)
    yield opened
    opened.context.close()
    assert not watched.complaints, "\n".join(watched.complaints)


def test_the_funnel_follows_and_rules_move(page: Page):
    page.goto("/curate/concur/")
    page.get_by_role("button", name="Copy").click()
    page.wait_for_url("**/curate/concur-copy/")
    expect(page.locator("#funnel header")).to_contain_text("8 rows over 8 tasks")
    page.locator("#new-rule").select_option("speedup")
    page.locator("button[value='add:']").click()
    expect(page.locator(".composer > .composer-panes .rules h3")).to_have_count(8)
    page.locator("#f-4-minimum").fill("5")
    page.locator("#f-4-minimum").press("Tab")
    expect(page.locator("#funnel header")).to_contain_text("4 rows over 4 tasks")
    page.locator("#f-4-minimum").fill("-1")
    page.locator("#f-4-minimum").press("Tab")
    expect(page.locator("#ef-4-minimum")).to_contain_text("below the least value")
    expect(page.locator("#f-4-minimum")).to_have_attribute("aria-invalid", "true")
    page.locator("#f-4-minimum").fill("5")
    page.locator("button[value='up:4']").click()
    expect(page.locator("button[value='up:3']")).to_be_focused()
    page.get_by_label("Name", exact=True).first.fill("short-and-fast")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/curate/short-and-fast/")
    names = [rule["rule"] for rule in Recipe.objects.get(name="short-and-fast").definition["rules"]]
    assert names == ["language", "has_trace", "min_correct", "speedup", "any_of"]


def test_an_added_rule_has_the_focus_and_a_removed_one_leaves_it_at_the_next_choice(page: Page):
    page.goto("/curate/new/")
    for title in ("Has a reasoning trace", "Speedup over eager"):
        page.get_by_label("Add a rule").select_option(label=title)
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.locator(".rule h3").last).to_have_text(title)
    expect(page.get_by_label("By", exact=True)).to_be_focused()
    page.get_by_role("button", name="Remove rule 2").click()
    expect(page.get_by_label("Add a rule")).to_be_focused()


def test_composing_works_without_javascript(browser: Browser, live_server):
    page, watched = signed_in(browser, live_server, java_script_enabled=False)
    page.goto("/curate/new/")
    page.locator("#new-rule").select_option("outcome")
    page.locator("button[value='add:']").click()
    expect(page.locator(".composer .rules h3")).to_have_text(["Outcome"])
    page.locator("#f-name").fill("plain")
    page.locator("button[value=save]").click()
    page.wait_for_url("**/curate/plain/")
    expect(page.locator("#funnel header")).to_contain_text("8 rows over 8 tasks")
    page.context.close()
    assert not watched.complaints


def copy_lines_for_datasets(page: Page) -> str:
    """Press the button of a release's page; return the lines that it is about."""
    finish_files(frozen("first"))
    page.goto("/releases/first/")
    page.get_by_role("button", name="Copy the lines for datasets").click()
    return page.locator("#use-datasets").text_content()


def test_the_lines_for_a_client_are_copied(page: Page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    lines = copy_lines_for_datasets(page)
    expect(page.locator("[data-copies=use-datasets]")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == lines
    assert 'load_dataset("concur/first")' in lines


def test_where_a_browser_has_no_clipboard_the_lines_are_selected(page: Page):
    """As on a site that is reached by HTTP under another name than localhost."""
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    lines = copy_lines_for_datasets(page)
    expect(page.locator("[data-copies=use-datasets]")).to_have_text("Selected: press Ctrl+C")
    assert page.evaluate("getSelection().toString()").strip() == lines.strip()


def middle(box) -> float:
    return box["y"] + box["height"] / 2


def saves_stay_beside_their_titles(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for figure in page.locator(".figure:has(.saves)").all():
        title, saves = (figure.locator(part).bounding_box() for part in ("h2", ".saves"))
        assert abs(middle(title) - middle(saves)) < title["height"] / 2, figure.get_attribute(
            "aria-labelledby"
        )


def a_figure_is_saved_as_svg_and_as_png(page: Page) -> None:
    starts = {}
    for kind in ("svg", "png"):
        with page.expect_download() as caught:
            page.get_by_role("button", name=f"Trace length by outcome as {kind.upper()}").click()
        assert caught.value.suggested_filename == f"lengths.{kind}"
        starts[kind] = caught.value.path().read_bytes()[:40]
    assert b"<svg" in starts["svg"]
    assert starts["png"].startswith(b"\x89PNG")


def test_every_figure_is_drawn_can_be_saved_and_follows_the_theme(page: Page):
    """On one page, whose load and drawing cost more than all that is checked on it."""
    page.goto("/analysis/")
    page.wait_for_selector("html[data-drawn]")
    assert page.locator(".chart .main-svg").count() >= 4
    for width in (1440, 1280):
        saves_stay_beside_their_titles(page, width)
    a_figure_is_saved_as_svg_and_as_png(page)
    assert page.locator(".chart .bars .point").count() > 8
    bar = page.locator("[data-figure=outcomes] .bars .point path").first
    light = bar.evaluate("node => getComputedStyle(node).fill")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    expect(page.locator("[data-figure=outcomes] .bars .point path").first).not_to_have_css("fill", light)


def test_figures_over_very_many_samples_come_when_they_are_made(page: Page, monkeypatch):
    monkeypatch.setattr("datasets_app.analysis.kept.MANY", 3)
    page.goto("/analysis/")
    for _ in range(100):  # each is loaded when it is scrolled to
        if not page.locator(".figure.is-waiting").count():
            break
        page.evaluate("document.querySelector('.figure.is-waiting')?.scrollIntoView()")
        page.wait_for_timeout(100)
    page.wait_for_selector("html[data-drawn]")
    assert page.locator(".figure.is-waiting").count() == 0
    assert page.locator(".chart .main-svg").count() >= 4
    expect(page.locator(".figure .saves").first).to_be_visible()


@pytest.mark.long  # tests/browser/states looks at these pages
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_pass_axe_and_fit_a_phone(browser: Browser, live_server, scheme):
    release = frozen("first")
    finish_files(release)
    page, watched = signed_in(browser, live_server, color_scheme=scheme)
    for path in PAGES:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(path)
        if path == "/analysis/":
            page.wait_for_selector("html[data-drawn]")
        assert violations(page) == [], path
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
    page.context.close()
    assert not watched.complaints, "\n".join(watched.complaints)
