"""Tests that Plotly's styles come from our own file, so that no page of the site allows inline styles."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.analysis import plotly_styles
from tests.factories import make_sample, make_user
from tests.pages import sign_in_as

BUTTON = "() => getComputedStyle(document.querySelector('.modebar-group')).boxSizing"
VIOLATIONS = """document.addEventListener("securitypolicyviolation", (event) =>
  console.error("policy", event.violatedDirective, event.sample, event.sourceFile))"""


def test_the_copy_is_that_of_the_installed_plotly():
    assert plotly_styles.SHEET.read_text() == plotly_styles.sheet(), (
        "write it anew with: python -m tests.analysis.plotly_styles"
    )


@pytest.mark.django_db
def test_the_page_stands_in_for_each_style_element_of_plotlys(reader):
    make_sample(outcome="passed", measured_speedup=2.0, verified_at=timezone.now())
    page = reader.get("/analysis/").content.decode()
    for mark in plotly_styles.element_ids():
        assert f'id="{mark}"' in page


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.long), "dark"])
def test_figures_are_drawn_without_a_violation_of_the_policy(browser, live_server, scheme):
    make_user("reader", "rita")
    for speedup in (0.8, 1.5, 2.5):
        facts = {"outcome": "passed", "device": "H200", "verified_at": timezone.now()}
        make_sample(measured_speedup=speedup, claimed_speedup=speedup, **facts)
    with sign_in_as(browser, live_server, "rita", color_scheme=scheme) as context:
        context.add_init_script(VIOLATIONS)
        page = context.new_page()
        complaints = []
        page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto("/analysis/")
        page.wait_for_selector("html[data-drawn]")
        expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
        assert page.evaluate(BUTTON) == "border-box", "the rules of the sheet apply"
        assert page.locator("style").count() == 0
        page.locator(".js-plotly-plot").first.hover()
        with page.expect_download() as saved:
            page.locator("[data-save=svg]").first.click()
        assert saved.value.suggested_filename.endswith(".svg")
    assert complaints == []
