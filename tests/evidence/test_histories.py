"""Tests of four histories of one sample, and of every page that shows them."""

import pytest
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from datasets_app.browse.list import facets
from datasets_app.browse.query import parse_query
from datasets_app.models import Evidence, Finding
from eval_app.request.verify import request_verification
from eval_app.results.record import import_report, record_report
from tests.factories import make_sample
from tests.verifications import H200, L40, timed, verified
from tests.verify import reports

pytestmark = pytest.mark.django_db
PROCESSOR = {"kind": "cpu", "name": "AMD EPYC 9654"}
CACHES = {"code": "caches_result", "severity": "audit", "detail": "it kept an answer"}


def ran(sample, outcome, kind="cuda", **fields):
    """Store a verification that was requested and reported."""
    (row,) = request_verification([sample], "quick", kind, actor=COMMAND)
    record_report(row.pk, 1, reports.report(sample.pk, outcome, **fields))


def passed_first():
    sample = make_sample(language="cuda")
    (row,) = request_verification([sample], actor=COMMAND)
    record_report(row.pk, 1, reports.passed(sample.pk, findings=[CACHES]))
    return sample


def then_our_error():
    sample = passed_first()
    ran(sample, "infra_error", device={})
    return sample


def then_an_imported_unsupported():
    sample = passed_first()
    import_report(sample.pk, reports.report(sample.pk, "unsupported", started_at="2099-01-01T00:00:00+00:00"))
    return sample


def then_unsupported_on_a_processor():
    sample = passed_first()
    ran(sample, "unsupported", "cpu", device=PROCESSOR)
    return sample


def then_failed_on_a_processor():
    sample = passed_first()
    ran(sample, "build_error", "cpu", device=PROCESSOR)
    return sample


def then_failed_on_another_device():
    sample = passed_first()
    ran(sample, "wrong_value", device={"kind": "cuda", "name": L40})
    return sample


HISTORIES = [
    then_our_error,
    then_an_imported_unsupported,
    then_unsupported_on_a_processor,
    then_failed_on_a_processor,
    then_failed_on_another_device,
]


@pytest.fixture(params=HISTORIES, ids=lambda history: history.__name__)
def sample(request):
    sample = request.param()
    sample.refresh_from_db()
    return sample


def test_the_headline_is_the_pass(sample):
    assert (sample.outcome, sample.device, sample.measured_speedup) == ("passed", H200, 2.0)
    headline = Evidence.objects.headline().get(sample=sample)
    assert (headline.outcome, headline.verification.outcome) == ("passed", "passed")


def test_the_list_finds_it_as_passed_and_with_the_findings_of_the_pass(sample):
    for line in ("outcome:passed", "finding:caches_result", "device:H200", "speedup:>1", "gain:2_5"):
        assert list(parse_query(line).queryset()) == [sample], line
        assert facets.total(parse_query(line)) == 1, line
    for line in ("outcome:failed", "outcome:unsupported", "outcome:infra_error"):
        assert not parse_query(line).queryset().exists(), line
        assert facets.total(parse_query(line)) == 0, line


def test_the_sample_page_says_what_passed_where(sample, reader):
    page = reader.get(sample.get_absolute_url()).content.decode()
    head = page[page.index('aria-label="Evidence by device"') :].split("</ul>")[0]
    assert head.index(H200) < head.index(">passed<") < head.index("2.00×")
    assert "infra_error" not in head
    assert "unsupported" not in head


def test_the_task_page_counts_and_ranks_the_pass(sample, reader):
    page = reader.get(sample.task.get_absolute_url()).content.decode()
    assert f"1: 1 passed, 0 failed, 0 without evidence on {H200}" in page
    assert f"fastest on {H200} first" in page


def test_the_evidence_below_is_that_of_the_pass(sample, reader):
    passed = sample.verifications.get(outcome="passed")
    page = reader.get(sample.get_absolute_url()).content.decode()
    assert f'id="timing-{passed.pk}"' in page


# --- Devices side by side ---


def test_a_failure_on_another_device_stands_beside_the_pass(reader):
    sample = then_failed_on_another_device()
    page = reader.get(sample.get_absolute_url()).content.decode()
    head = page[page.index('aria-label="Evidence by device"') :].split("</ul>")[0]
    assert head.index(H200) < head.index(L40) < head.index("wrong value")
    task = reader.get(f"{sample.task.get_absolute_url()}?device={L40}").content.decode()
    assert f"1: 0 passed, 1 failed, 0 without evidence on {L40}" in task


def test_runs_that_disagree_are_a_finding_of_the_sample(reader):
    sample, other = make_sample(), make_sample()
    timed(sample, 2.0)
    timed(sample, 3.0, days=1)
    timed(other, 2.0)
    line = "finding:runs_disagree"
    assert list(parse_query(line).queryset()) == [sample]
    assert facets.total(parse_query(line)) == 1
    page = reader.get(sample.get_absolute_url()).content.decode()
    assert page.count(">runs disagree<") == 2  # at the badge and in the history
    assert "1.96× to 3.06×" in page
    assert "runs disagree" not in reader.get(other.get_absolute_url()).content.decode()


def test_findings_on_a_device_that_is_not_the_headlines_do_not_count():
    sample = make_sample()
    timed(sample, 2.0)
    Finding.objects.create(verification=verified(sample, "cheated", L40), code="replayed", severity="reject")
    assert not parse_query("finding:replayed").queryset().exists()


def test_kernelbenchs_verdict_is_kept_and_shown(reader):
    sample = make_sample(language="cuda")
    (row,) = request_verification([sample], actor=COMMAND)
    record_report(row.pk, 1, reports.passed(sample.pk, kernelbench={"correct": False, "speedup": 1.5}))
    row.refresh_from_db()
    assert (row.kernelbench_correct, row.kernelbench_speedup) == (False, 1.5)
    page = reader.get(reverse("verification", args=[row.pk])).content.decode()
    assert "KernelBench's own protocol: not correct, 1.50×" in page.replace("&#x27;", "'")
