"""Tests of holds: a host that is paused or drained takes nothing new, says how far it is, and stays so."""

import threading
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import AuditEntry
from eval_app.broker.messages import envelope
from eval_app.broker.messages.keys import notice_key
from eval_app.host.answer import Answer
from eval_app.models import Worker
from eval_app.pages.hosts import state_of
from eval_app.workers import registry
from eval_app.workers.fleet import Fleet
from tests.factories import make_user
from tests.verify.test_host import Worker as HostWorker
from tests.verify.test_host import message, sent

pytestmark = pytest.mark.django_db
SITE = {"refusal": "", "queues": ["verify.cpu"], "hold": "", "engine": "1.2.0"}


def command(*arguments):
    out = StringIO()
    call_command("host", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def answer(broker, hand, **facts):
    """Return the site's answer to a host's next announcement."""
    hand.announce(**facts)
    raw = broker.get(notice_key(hand.key.name, hand.label))
    return Answer.read(envelope.unpack(raw, hand.key.site_public)[1])


# --- On the site ----------------------------------------------------------------------------------------------------


def test_a_held_host_is_named_no_queue_until_it_is_resumed_however_often_it_starts(broker, host):
    assert answer(broker, host).queues == ("verify.cpu",)
    command("drain", "gpu-7")
    assert answer(broker, host) == Answer(hold="draining")
    assert answer(broker, host, state="testing") == Answer(hold="draining")
    command("resume", "gpu-7")
    assert answer(broker, host) == Answer(queues=("verify.cpu",))


def test_draining_ends_when_each_worker_knows_and_runs_nothing(broker, host):
    host.announce(busy=2)
    drained = registry.drain_host("gpu-7", actor=COMMAND)
    assert "1 worker does not know it yet" in state_of(drained).words
    host.announce(busy=2, hold="draining")
    assert state_of(registry.find_host("gpu-7")).words.endswith("it finishes 2 verifications")
    host.announce(busy=0, hold="draining")
    state = state_of(registry.find_host("gpu-7"))
    assert state.kind == "drained"
    assert "drained: it runs nothing and takes nothing" in command("list")
    Worker.objects.update(seen_at=timezone.now() - timedelta(hours=1))
    assert state_of(registry.find_host("gpu-7")).kind == "drained", "switched off, it stays drained"


def test_rows_that_only_a_held_host_could_take_say_so(broker, host, client):
    host.announce()
    assert Fleet.read().takes("cpu")
    registry.pause_host("gpu-7", actor=COMMAND)
    assert Fleet.read().waits_for("cpu") == "waits for a CPU worker; gpu-7 is paused"
    client.force_login(make_user("reader"))
    assert "gpu-7: paused" in client.get(reverse("verify")).content.decode()


def test_page_rest_and_command_hold_a_host_and_the_audit_log_has_each(broker, host, client):
    client.force_login(make_user("administrator"))
    client.post(reverse("verify-host-drain", args=["gpu-7"]))
    page = client.get(reverse("verify-hosts")).content.decode()
    assert ">drained</span>" in page
    assert reverse("verify-host-resume", args=["gpu-7"]) in page
    paused = client.patch("/api/v1/hosts/gpu-7/", {"hold": "paused"}, content_type="application/json").json()
    assert (paused["hold"], paused["state"].startswith("paused: it takes nothing")) == ("paused", True)
    assert client.get("/api/v1/hosts/").json()[0]["hold"] == "paused"
    assert "resume" not in command("resume", "gpu-7")
    command("resume", "gpu-7")
    actions = (
        AuditEntry.objects.filter(action__startswith="host.").order_by("pk").values_list("action", flat=True)
    )
    assert list(actions) == ["host.add", "host.drain", "host.pause", "host.resume"]


def test_a_revoked_host_is_not_held_and_an_unknown_one_not_found(host, client):
    registry.revoke_host("gpu-7", actor=COMMAND)
    with pytest.raises(registry.HostError, match="rotate"):
        registry.pause_host("gpu-7", actor=COMMAND)
    client.force_login(make_user("administrator"))
    assert client.post(reverse("verify-host-pause", args=["nobody"])).status_code == 404
    assert client.get("/api/v1/hosts/nobody/").status_code == 404


# --- On the host ----------------------------------------------------------------------------------------------------


@pytest.fixture
def worker(broker, tmp_path):
    return HostWorker(broker, tmp_path)


def test_a_held_worker_gives_back_what_still_arrives(worker, broker):
    worker.host.held.set()
    worker.host.work(message())
    assert worker.count() == 0
    assert sent(broker) == [("give_back", None)]


def paused_at_work(worker):
    """Pause the worker while it runs a job; return the job's thread."""
    thread = threading.Thread(target=worker.host.work, args=[message("sleep 30")])
    thread.start()
    while not worker.assignments.running():
        thread.join(0.02)
    worker.host.held.set()
    worker.assignments.cancel_all()
    return thread


def test_a_paused_worker_gives_back_what_it_runs(worker, broker):
    paused_at_work(worker).join(10)
    assert sent(broker) == [("give_back", None)]


def test_a_job_that_was_being_locked_when_the_host_was_paused_is_given_back(worker, broker, monkeypatch):
    taken = worker.host.take

    def take(assignment):
        answer = taken(assignment)
        worker.host.held.set()  # the pause arrives here, before the job counts as running
        worker.assignments.cancel_all()
        return answer

    monkeypatch.setattr(worker.host, "take", take)
    worker.host.work(message())
    assert worker.count() == 0
    assert sent(broker) == [("give_back", None)]


def test_a_job_that_a_pause_ended_is_given_back_although_the_host_was_resumed_meanwhile(worker, broker):
    thread = paused_at_work(worker)
    worker.host.held.clear()
    thread.join(10)
    assert sent(broker) == [("give_back", None)]


# --- Versions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"engine": "1.0.9"}, "this host needs a site of 1.1.0 or later: upgrade the site"),
        ({"engine": None}, "the site is of an earlier version than this host"),
        ({"queues": None}, "the site is of an earlier version than this host"),
        ({"refusal": "its key is revoked"}, "its key is revoked"),
    ],
)
def test_a_host_leaves_a_site_that_it_does_not_understand_and_says_what_to_upgrade(change, reason):
    assert reason in Answer.read(SITE | change).refusal
    assert Answer.read(SITE).refusal == ""


def test_the_page_shows_why_a_worker_left(broker, host, client):
    reason = Answer.read(SITE | {"engine": "1.0.9"}).refusal
    host.announce(state="stopped", health_detail=reason)
    client.force_login(make_user("administrator"))
    page = client.get(reverse("verify-hosts")).content.decode()
    assert reason.partition("'s ")[2] in page
    assert "its worker stopped: the site" in page


def test_a_host_in_another_protocol_than_the_sites_answer_takes_nothing_and_logs_what_to_upgrade(
    worker, broker, caplog
):
    broker.set(notice_key("host", "host"), b"CW2 " + b"0" * 128 + b"\n{}\n{}")
    assert worker.channel.answer() is None
    assert "upgrade this host. No jobs are taken" in caplog.text
