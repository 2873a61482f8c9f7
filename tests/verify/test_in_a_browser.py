"""Tests of browser behaviour: the key that verifies again, the live log, notes beside lines, axe's checks."""

import pytest
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Verification
from eval_app.attempts import leases
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from tests.axe import violations
from tests.factories import make_sample
from tests.pages import open_page
from tests.verify import reports
from tests.verify.test_code_pairs import slower
from tests.verify.test_evidence import verified
from tests.verify.test_kernel_notes import KERNEL

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

__all__ = ["open_page"]


@pytest.fixture
def sample(transactional_db):
    sample = make_sample(language="cuda", kernel=KERNEL, claimed_speedup=2.9)
    (row,) = request_verification([sample], actor=COMMAND)
    data = reports.full(sample.pk)
    data["findings"][2]["detail"] = "line 11: except Exception:"
    record_report(row.pk, 1, data)
    return sample


def test_v_verifies_again_and_head_and_log_follow_to_the_new_verdict(sample, open_page):
    page = open_page(sample.get_absolute_url())
    head = page.locator(".sample-head")
    assert "passed" in head.inner_text()
    page.keyboard.press("v")
    page.get_by_text("waits for a CUDA worker").wait_for()
    head.get_by_text("waiting").wait_for()
    row = Verification.objects.waiting().get(sample=sample)
    leases.renew("box", [{"verification": str(row.pk), "attempt": 1, "stage": "build", "detail": "slim"}])
    page.locator(".stage-log", has_text="build").wait_for()
    head.get_by_text("build", exact=True).wait_for()
    record_report(row.pk, 1, {**reports.wrong(sample.pk), "detail": "64 of 64 elements differ"})
    page.locator("#evidence .evidence-line", has_text="wrong value").wait_for()
    head.locator(".device-evidence", has_text="wrong value").wait_for()
    assert "64 of 64 elements differ" in head.locator(".sample-reason").inner_text()
    assert "running" not in head.inner_text()
    assert "hx-get" not in page.locator("#evidence").evaluate("part => part.outerHTML.slice(0, 80)")


def test_a_finding_stands_beside_its_line(sample, open_page):
    page = open_page(sample.get_absolute_url())
    note = page.locator("#kernel-L11 + .line-note")
    assert note.inner_text() == "try fallback line 11: except Exception:"


@pytest.mark.long  # tests/browser/states looks at these pages
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
        assert violations(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("width", "scheme"), [(1440, "light"), pytest.param(390, "dark", marks=pytest.mark.long)]
)
def test_sass_of_two_samples_stands_side_by_side_and_nothing_flows_over(
    open_page, transactional_db, width, scheme
):
    one, other, never = verified().sample, verified(slower).sample, make_sample(language="cuda")
    page = open_page(reverse("sample-code-against", args=[one.pk, "sass", other.pk]), width, scheme)
    assert page.locator("tr.is-changed").count() == 1
    fits_and_passes_axe(page)
    page.goto(page.url.replace(str(other.pk), str(never.pk)))
    page.get_by_role("button", name="Verify it and collect SASS and profiler counters").wait_for()
    fits_and_passes_axe(page)


def fits_and_passes_axe(page):
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []
