"""The page that holds one sample's SASS against another's, as a person sees it."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse

from tests.browser.conftest import browser
from tests.factories import make_sample
from tests.pages import RULES, open_page
from tests.verify.test_code_pairs import slower
from tests.verify.test_evidence import verified

__all__ = ["browser", "open_page"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_what_differs_stands_side_by_side_and_nothing_flows_over(open_page, width, scheme):
    one, other, never = verified().sample, verified(slower).sample, make_sample(language="cuda")
    page = open_page(reverse("sample-code-against", args=[one.pk, "sass", other.pk]), width, scheme)
    assert page.locator("tr.is-changed").count() == 1
    check(page)
    page.goto(page.url.replace(str(other.pk), str(never.pk)))
    page.get_by_role("button", name="Verify it and look inside").wait_for()
    check(page)


def check(page):
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = Axe().run(page, options=RULES).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:120]) for one in found] == []
