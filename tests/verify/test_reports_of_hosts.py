"""Tests that a report is only accepted from a lease's holder, for the requested job, and once."""

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import VerificationReport
from eval_app.attempts import leases
from eval_app.broker.messages import envelope
from eval_app.broker.messages.keys import HostKey, notice_key
from eval_app.request.verify import request_verification
from eval_app.site_worker import inbound
from eval_app.workers import registry
from tests.factories import make_sample
from tests.verify import reports
from tests.verify.host_hand import HostHand, about, now

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("broker")]


def test_a_signed_report_of_a_job_that_nobody_else_holds_is_booked_under_its_hosts_name(host, row):
    assert host.report(row, reports.passed(row.sample_id))
    assert (now(row).outcome, row.worker, row.speedup) == ("passed", "gpu-7", 2.0)


def test_a_report_that_nobody_signed_is_not_believed(host, row):
    forged = HostKey("gpu-7", bytes(32), bytes(32))
    head = {"purpose": "report", "host": "gpu-7", "worker": "gpu-7", **about(row)}
    host.deliver(envelope.pack(forged.private, head, reports.passed(row.sample_id)))
    assert now(row).state == "queued"
    assert "does not match this sender" in host.refusal


def test_a_report_signed_by_another_valid_host_in_this_hosts_name_is_not_believed(host, other, row):
    head = {"purpose": "report", "host": "gpu-7", "worker": "gpu-7", **about(row)}
    raw = envelope.pack(other.key.private, head, reports.passed(row.sample_id))
    assert not inbound.receive("gpu-7", raw)
    assert not inbound.receive("gpu-8", raw)
    assert now(row).state == "queued"


def test_the_report_of_a_row_that_another_host_holds_does_not_count(host, other, row):
    assert host.heartbeat(row)
    other.report(row, reports.passed(row.sample_id))
    assert (now(row).state, row.worker) == ("running", "gpu-7")
    host.report(row, reports.wrong(row.sample_id))
    assert now(row).outcome == "wrong_value"


def test_a_report_of_a_worker_whose_lease_was_handed_on_does_not_count(host, row):
    host.heartbeat(row)
    late = host.packed("report", reports.passed(row.sample_id), **about(row))
    leases.requeue(leases.held(row.pk, 1))
    host.deliver(late)
    assert (now(row).state, row.attempt) == ("queued", 2)


@pytest.mark.parametrize("nonce", ["", "0" * 32, None, 5, "é"])
def test_a_report_by_a_host_that_never_got_the_job_does_not_count(host, row, nonce):
    assert not host.report(row, reports.passed(row.sample_id), nonce=nonce)
    assert now(row).state == "queued"
    assert "nonce" in host.refusal


def test_the_nonce_of_one_attempt_or_row_is_none_of_another(host, row):
    other = request_verification([make_sample()], device="cuda", actor=COMMAND)[0]
    assert not host.report(row, reports.passed(row.sample_id), attempt=2)
    assert not host.report(row, reports.passed(row.sample_id), verification=str(other.pk))
    assert not VerificationReport.objects.exists()


def test_a_report_that_is_replayed_is_stored_once(host, row):
    raw = host.packed("report", reports.passed(row.sample_id), **about(row))
    host.deliver(raw)
    host.deliver(raw)
    assert VerificationReport.objects.count() == 1


def test_an_old_report_that_is_replayed_for_a_new_request_does_not_count(host, row):
    raw = host.packed("report", reports.passed(row.sample_id), **about(row))
    host.deliver(raw)
    (again,) = request_verification([row.sample], device="cuda", actor=COMMAND)
    host.deliver(raw)
    assert now(again).state == "queued"


def test_a_revoked_hosts_report_does_not_count_and_it_is_told(host, row, broker):
    registry.revoke_host("gpu-7", actor=COMMAND)
    assert not host.report(row, reports.passed(row.sample_id))
    assert now(row).state == "queued"
    assert "revoked" in host.refusal
    assert b"revoked" in broker.get(notice_key("gpu-7", "gpu-7"))


def test_a_key_that_was_rotated_away_signs_nothing_any_more(host, row):
    registry.rotate_key("gpu-7", actor=COMMAND)
    assert not host.report(row, reports.passed(row.sample_id))
    assert now(row).state == "queued"


def test_a_host_that_may_serve_the_cpu_alone_reports_nothing_on_a_gpu(row):
    small = HostHand("small", kinds=("cpu",))
    assert not small.report(row, reports.passed(row.sample_id))
    small.heartbeat(row)
    assert not small.give_back(row)
    assert (now(row).state, row.attempt) == ("queued", 1)
    assert "may serve cpu only" in small.refusal


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"device": {"kind": "cpu", "name": "CPU"}}, "it ran on 'cpu'"),
        ({"device": {}}, "it passed on no device"),
        ({"profile": "thorough"}, "it ran 'thorough'"),
        ({"versions": {"engine": "99.0.0"}}, "upgrade the site first"),
        ({"versions": {"engine": "0.9.0"}}, "upgrade the host"),
        ({"versions": {"engine": "mine"}}, "is invalid"),
        ({"versions": {}}, "is invalid"),
    ],
)
def test_a_report_of_another_run_than_was_asked_for_ends_as_our_fault(host, row, change, reason):
    host.report(row, {**reports.passed(row.sample_id), **change})
    assert now(row).outcome == "infra_error"
    assert reason in row.detail
    assert row.speedup is None


def test_a_report_of_an_unknown_verification_is_dropped(host, row):
    row.pk = "00000000-0000-4000-8000-000000000000"
    assert host.report(row, reports.passed("x"))
