import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Baseline, Finding, Sample, Task, Verification, VerificationReport
from eval_app.engine import ADMISSION, ENGINE_VERSION, PROFILES, ContractError, Job, Outcome
from eval_app.engine.cli import as_admission, reference_as_candidate
from eval_app.engine.contract import schema
from eval_app.request.verify import request_verification
from eval_app.results.record import UnknownSampleError, import_report, record_report, take_in
from tests.factories import make_sample
from tests.verify import reports

pytestmark = pytest.mark.django_db


def waiting():
    (row,) = request_verification([make_sample()], actor=COMMAND)
    return row


def recorded(report_of, row=None):
    row = row or waiting()
    record_report(row.pk, row.attempt, report_of(row.sample_id))
    row.refresh_from_db()
    return row


def test_a_pass_stores_the_speedup_and_its_interval():
    row = recorded(reports.passed)
    assert (row.state, row.outcome, row.speedup, row.device) == ("done", "passed", 2.0, "NVIDIA H200")
    assert row.speedup_low < row.speedup < row.speedup_high


def test_the_samples_newest_evidence_is_written_in_the_same_step():
    row = recorded(reports.passed)
    sample = Sample.objects.get(pk=row.sample_id)
    assert (sample.outcome, sample.measured_speedup, sample.device) == ("passed", 2.0, "NVIDIA H200")
    assert sample.verified_at == row.finished_at


def test_a_time_is_confirmed_by_a_clock_and_doubted_by_a_finding():
    confirmed = {**reports.timing(), "confirmed_by": "single calls"}
    doubt = {"code": "time_unconfirmed", "severity": "audit", "detail": "the claim is finer than the clock"}

    def stored(timing, findings=()):
        row = recorded(lambda pk: {**reports.passed(pk, findings=list(findings)), "timing": timing})
        return row.evidence.time_confirmed

    assert stored(confirmed)
    assert not stored(confirmed, [doubt])
    assert not stored(reports.timing())


ORDERS = {
    "candidate_ms": 0.5,
    "reference_ms": 1.0,
    "calls": 20,
    "orders": 4,
    "cost_ms": 0.3,
    "noise_ms": 0.01,
}


@pytest.mark.parametrize("orders", [ORDERS, None], ids=["timed", "only claimed"])
def test_an_unconfirmed_time_gives_no_speedup(orders):
    timing = {**reports.timing(), "unconfirmed": "the orders say less", "orders": orders}
    row = recorded(lambda pk: {**reports.passed(pk), "timing": timing})
    assert (row.outcome, row.speedup, row.evidence.speedup) == ("passed", None, None)
    assert row.evidence.time_confirmed is False


def test_the_share_of_its_own_kernels_is_stored_where_it_was_traced():
    traced = recorded(lambda pk: reports.passed(pk, profile_trace={"custom_kernel_share": 0.75}))
    assert traced.evidence.custom_kernel_share == 0.75
    missing = {"missing": "the call ran no kernel"}
    assert recorded(lambda pk: reports.passed(pk, profile_trace=missing)).evidence.custom_kernel_share is None


@pytest.mark.parametrize(
    ("answer", "count"), [(3, 3), (0, 0), (True, None), ("3", None), (-1, None), (2**31, None)]
)
def test_the_executed_operators_of_a_task_come_with_its_admission(answer, count):
    row = recorded(lambda pk: reports.passed(pk, admission={"operator_calls": answer}))
    assert Task.objects.get(samples=row.sample_id).operator_calls == count


def test_a_report_is_stored_once_however_often_it_comes():
    row = recorded(reports.passed)
    assert not record_report(row.pk, row.attempt, reports.cheated(row.sample_id))
    row.refresh_from_db()
    assert row.outcome == "passed"
    assert VerificationReport.objects.count() == 1


def test_a_report_of_an_attempt_that_was_handed_on_does_not_count():
    row = waiting()
    Verification.objects.filter(pk=row.pk).update(attempt=2)
    assert not record_report(row.pk, 1, reports.wrong(row.sample_id))
    assert record_report(row.pk, 2, reports.wrong(row.sample_id))


def test_findings_are_stored_with_their_evidence():
    row = recorded(reports.cheated)
    finding = Finding.objects.get(verification=row)
    assert (finding.code, finding.severity) == ("output_replayed", "reject")


def test_eager_becomes_the_tasks_baseline_and_a_newer_one_takes_its_place():
    row = recorded(reports.passed)
    (again,) = request_verification([row.sample], actor=COMMAND)
    slower = {**reports.passed(row.sample_id), "timing": reports.timing(0.5, 1.5)}
    record_report(again.pk, 1, slower)
    baseline = Baseline.objects.get(task=row.sample.task, mode="eager")
    assert baseline.median_ms == 1.5


def test_a_report_that_breaks_the_contract_is_a_fault_of_ours_and_says_which():
    row = waiting()
    record_report(row.pk, 1, {**reports.passed(row.sample_id), "correctness": None})
    row.refresh_from_db()
    assert row.outcome == "infra_error"
    assert "passed needs correctness" in row.detail


@pytest.mark.parametrize("key", ["a\x00b", "\ud800"])
def test_what_no_database_can_store_is_not_stored(key):
    row = waiting()
    assert record_report(row.pk, 1, {**reports.passed(row.sample_id), key: 1})
    row.refresh_from_db()
    assert row.outcome == "infra_error"


def test_a_report_of_another_sample_is_not_believed():
    row = recorded(lambda _: reports.passed("00000000-0000-4000-8000-000000000000"))
    assert row.outcome == "infra_error"


def test_a_fault_of_ours_does_not_displace_evidence():
    row = recorded(reports.passed)
    (again,) = request_verification([row.sample], actor=COMMAND)
    record_report(again.pk, 1, reports.report(row.sample_id, "infra_error"))
    assert Sample.objects.get(pk=row.sample_id).outcome == "passed"


def test_a_report_for_an_unknown_verification_is_dropped():
    assert not record_report("00000000-0000-4000-8000-000000000000", 1, reports.passed("x"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda children: (
        st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=8), children, max_size=4)
    ),
    max_leaves=12,
)
KEYS = sorted(reports.passed("x"))


@settings(max_examples=60)
@given(JSON, st.sampled_from(KEYS), st.booleans())
def test_whatever_json_a_worker_sends_the_row_ends_with_one_known_outcome(db, value, key, is_whole):
    row = waiting()
    data = value if is_whole else {**copy.deepcopy(reports.passed(row.sample_id)), key: value}
    assert record_report(row.pk, row.attempt, data)
    row.refresh_from_db()
    assert row.state == "done"
    assert row.outcome in set(Outcome)
    assert VerificationReport.objects.filter(verification=row).count() == 1
    assert (row.speedup is None) or row.outcome == "passed"


def test_an_imported_report_keeps_its_own_dates_and_device():
    sample = make_sample(language="cuda")
    row = import_report(sample.pk, reports.passed(sample.pk))
    assert row.started_at.isoformat() == "2026-05-01T10:00:00+00:00"
    assert (row.finished_at - row.started_at).total_seconds() == 3.0
    assert (row.device, row.wanted_device, row.state) == ("NVIDIA H200", "cuda", "done")


def test_the_same_report_goes_in_once():
    sample = make_sample()
    assert import_report(sample.pk, reports.passed(sample.pk)) is not None
    assert import_report(sample.pk, reports.passed(sample.pk)) is None
    assert Verification.objects.count() == 1


def test_an_older_report_does_not_displace_newer_evidence():
    row = recorded(reports.passed)
    import_report(row.sample_id, reports.wrong(row.sample_id))
    assert Sample.objects.get(pk=row.sample_id).outcome == "passed"


def admission_of(subject, **fields):
    data = reports.passed(subject, admission={"constant_passes": True}, **fields)
    return {**data, "profile": {**schema.to_json(PROFILES["quick"]), "name": ADMISSION}}


@pytest.mark.parametrize("of", ["sample", "task"])
def test_what_admit_says_is_the_tasks_and_no_verdict_on_a_sample(of):
    sample = make_sample()
    subject = sample.pk if of == "sample" else sample.task_id
    assert take_in(subject, admission_of(subject))
    assert Verification.objects.count() == 0
    task = Task.objects.get(pk=sample.task_id)
    assert task.admission == {"constant_passes": True, "valid_reference": True}
    assert task.admission_engine == ENGINE_VERSION
    assert Sample.objects.get(pk=sample.pk).outcome == ""


def test_admit_names_its_profile_whatever_the_job_asks():
    for profile in ({}, {"profile": "thorough"}, {"profile": {"base": "quick", "trials": 7}}):
        job = reference_as_candidate({"id": "a", "reference": "class Model: ...", **profile})
        assert Job.from_dict(job, as_admission("quick")).profile.name == ADMISSION


def test_a_report_about_an_unknown_sample_is_refused():
    unknown = "00000000-0000-4000-8000-000000000000"
    with pytest.raises(UnknownSampleError, match="ingest the triples first"):
        import_report(unknown, reports.passed(unknown))


def test_a_bad_report_is_refused_with_the_field():
    sample = make_sample()
    with pytest.raises(ContractError, match=r"report\.outcome"):
        import_report(sample.pk, reports.report(sample.pk, "great"))


@pytest.mark.parametrize("when", ["", "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+14:00"])
def test_a_date_that_cannot_be_is_taken_as_now(when):
    sample = make_sample()
    row = import_report(
        sample.pk, reports.wrong(sample.pk) | {"started_at": when, "seconds": {"total": 1e300}}
    )
    assert row.finished_at.year < 9999
