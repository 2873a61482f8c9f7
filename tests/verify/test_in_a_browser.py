"""What only a browser shows: the key that verifies again, the log that follows, notes beside lines, axe's judgement."""

import os

import pytest
from axe_playwright_python.sync_playwright import Axe

from eval_app import leases
from eval_app.models import Verification
from eval_app.record import record_report
from eval_app.verify import request_verification
from tests.browser.conftest import browser
from tests.factories import make_sample, make_user
from tests.verify import reports
from tests.verify.test_kernel_notes import KERNEL

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

__all__ = ["browser"]


@pytest.fixture
def sample(transactional_db):
    sample = make_sample(language="cuda", kernel=KERNEL, claimed_speedup=2.9)
    (row,) = request_verification([sample])
    data = reports.full(sample.pk)
    data["findings"][2]["detail"] = "line 11: except Exception:"
    record_report(row.pk, 1, data)
    return sample


@pytest.fixture
def open_page(browser, live_server, transactional_db):
    """A page signed in as an annotator; whatever it complains about fails the test."""
    name = make_user("annotator").username
    contexts, complaints = [], []

    def opened(path, width=1440, scheme="light"):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
        page.goto(f"{live_server.url}/accounts/login/")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(name)
        page.get_by_role("button", name="Sign in").click()
        page.goto(f"{live_server.url}{path}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def test_v_verifies_again_and_the_log_follows_to_the_new_verdict(sample, open_page):
    page = open_page(sample.get_absolute_url())
    page.keyboard.press("v")
    page.get_by_text("waits for a CUDA worker").wait_for()
    row = Verification.objects.waiting().get(sample=sample)
    leases.renew("box", [{"verification": str(row.pk), "attempt": 1, "stage": "build", "detail": "slim"}])
    page.locator(".stage-log", has_text="build").wait_for()
    record_report(row.pk, 1, reports.wrong(sample.pk))
    page.locator("#evidence .evidence-line", has_text="wrong value").wait_for()
    assert "hx-get" not in page.locator("#evidence").evaluate("part => part.outerHTML.slice(0, 80)")


def test_a_finding_stands_beside_its_line(sample, open_page):
    page = open_page(sample.get_absolute_url())
    note = page.locator("#kernel-L11 + .line-note")
    assert note.inner_text() == "try fallback line 11: except Exception:"


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_axe_finds_nothing_in_the_evidence_and_nothing_overflows(sample, open_page, width, scheme):
    row = Verification.objects.get(sample=sample)
    code = row.machine_code.get(kind="sass").get_absolute_url()
    page = open_page(row.get_absolute_url(), width, scheme)
    others = (
        [code, sample.task.get_absolute_url(), "/verify/"]
        if width > 1000
        else [sample.task.get_absolute_url()]
    )
    for path in (row.get_absolute_url(), *others):
        page.goto(page.url.partition("/verify/")[0].partition("/tasks/")[0] + path)
        found = Axe().run(page, options=RULES).response["violations"]
        assert not found, (
            f"{path}: {[(one['id'], [node['html'] for node in one['nodes']][:3]) for one in found]}"
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= width
