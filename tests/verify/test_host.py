"""Tests of a worker's parts, over a real Redis, without Django."""

import subprocess
import sys
import threading
import uuid

import pytest
import redis

from eval_app.broker.message_locks import DONE, MessageLocks, holders
from eval_app.broker.messages import envelope
from eval_app.broker.messages.keys import HostKey, inbound_list, public_key
from eval_app.host.assignment import Assignment
from eval_app.host.assignment_runner import AssignmentRunner
from eval_app.host.heartbeat import Heartbeat, RunningAssignments
from eval_app.host.identity import take_identity
from eval_app.host.outbox import Outbox
from eval_app.host.site_channel import SiteChannel
from tests.verify.processes import ROOT
from tests.verify.stand_in import StandInBench


@pytest.fixture
def client(redis_url):
    client = redis.Redis.from_url(redis_url)
    client.flushall()
    return client


KEY = HostKey.make("host", site=bytes(32))
SENT = inbound_list("host")


def sent(client):
    """Return (purpose, content) of the host's messages, oldest first."""
    key = public_key(KEY.public)
    opened = [envelope.unpack(raw, key) for raw in reversed(client.lrange(SENT, 0, -1))]
    return [(head["purpose"], content) for head, content in opened]


class Worker:
    """A worker's parts as main.py assembles them, without Celery's consumer."""

    def __init__(self, client, folder, name="host"):
        self.runs = folder / "runs.txt"
        self.bench = StandInBench(self.runs)
        self.stopping = threading.Event()
        self.assignments = RunningAssignments()
        self.locks = MessageLocks(client, name)
        self.channel = SiteChannel(client, KEY, name)
        self.outbox = Outbox(folder / name, self.channel, self.stopping.is_set)
        self.host = AssignmentRunner(self.bench, self.locks, self.outbox, self.assignments, self.stopping)

    def count(self):
        return len(self.runs.read_text().splitlines()) if self.runs.exists() else 0


@pytest.fixture
def worker(client, tmp_path):
    return Worker(client, tmp_path)


def message(candidate="pass", **fields):
    job = {"id": "sample-1", "reference": "r", "candidate": candidate, "language": "cpp", "profile": "quick"}
    return {
        "verification": str(uuid.uuid4()),
        "attempt": 1,
        "device": "cpu",
        "lease_seconds": 2,
        "nonce": "n",
        "job": job,
        **fields,
    }


def test_the_same_message_delivered_twice_runs_once(worker, client):
    twice = message()
    worker.host.work(twice)
    worker.host.work(twice)
    assert worker.count() == 1
    assert client.llen(SENT) == 1


def test_an_old_job_that_is_replayed_after_its_lock_was_deleted_runs_once(worker, client):
    replayed = message()
    worker.host.work(replayed)
    client.flushall()
    worker.host.work(replayed)
    assert worker.count() == 1


def test_a_job_whose_lock_and_report_the_broker_lost_is_marked_so_that_it_gets_a_new_number(worker, client):
    job = message()
    worker.host.work(job)
    client.flushall()
    worker.host.work(job)
    assert holders(client, [(job["verification"], 1)]) == [DONE]


def test_the_same_message_given_to_two_workers_at_once_runs_once(client, tmp_path):
    workers = [Worker(client, tmp_path, name) for name in ("one", "two")]
    same = message("sleep 0.5")
    threads = [threading.Thread(target=one.host.work, args=[same]) for one in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert workers[0].count() == 1


def test_a_bench_that_fails_is_reported_as_a_failure_of_the_worker_with_its_traceback(worker, client):
    worker.host.work(message("raise"))
    [(purpose, report)] = sent(client)
    assert (purpose, report["outcome"]) == ("report", "infra_error")
    assert "the bench fell over" in report["detail"]


def test_a_message_that_cannot_be_read_is_dropped(worker):
    worker.host.work({"verification": "x"})
    assert worker.count() == 0


def test_a_worker_that_stops_gives_back_what_still_comes(worker, client):
    worker.stopping.set()
    worker.host.work(message())
    assert worker.count() == 0
    assert sent(client) == [("give_back", None)]


def test_a_cancelled_row_is_dropped_without_a_report(worker, client):
    wanted = message("sleep 5")
    MessageLocks(client, "site").finish(wanted["verification"], 1)
    worker.host.work(wanted)
    assert worker.count() == 0


def test_the_heartbeat_cancels_what_is_no_longer_wanted(worker, client):
    wanted = message("sleep 30")
    heartbeat = Heartbeat(worker.channel, worker.locks, worker.assignments, dict)
    thread = threading.Thread(target=worker.host.work, args=[wanted])
    thread.start()
    while not worker.assignments.running():
        thread.join(0.02)
    MessageLocks(client, "site").finish(wanted["verification"], 1)
    heartbeat.tick(100.0)
    thread.join(5)
    assert not thread.is_alive()


def test_heartbeats_continue_while_the_engine_is_busy(worker, client):
    heartbeat = Heartbeat(worker.channel, worker.locks, worker.assignments, dict)
    thread = threading.Thread(target=worker.host.work, args=[message("sleep 0.6")])
    thread.start()
    while not worker.assignments.running() or worker.assignments.running()[0].stage == "queued":
        thread.join(0.02)
    for moment in (100.0, 100.1, 100.8):  # a heartbeat is due every third of a lease of 2 s
        heartbeat._announced = moment
        heartbeat.tick(moment)
    thread.join()
    assert [purpose for purpose, _ in sent(client)].count("heartbeat") == 2


def test_a_dead_holders_lock_expires_and_a_finished_one_does_not(client):
    dead, done = MessageLocks(client, "dead"), MessageLocks(client, "done")
    dead.take("a", 1, seconds=60)
    done.take("b", 1, seconds=60)
    done.finish("b", 1)
    assert client.ttl("concur:claim:a:1") <= 60
    assert client.ttl("concur:claim:b:1") > 3600
    assert holders(client, [("a", 1), ("b", 1), ("c", 1)]) == ["dead", DONE, None]


def test_a_lock_that_redis_lost_is_set_again(client):
    locks = MessageLocks(client, "host")
    locks.take("a", 1, 5)
    client.flushall()
    assert locks.renew("a", 1, 5)
    assert not MessageLocks(client, "other").take("a", 1, 5)


def test_a_report_waits_on_disk_while_the_broker_is_down_and_is_delivered_by_the_next_start(
    worker, client, tmp_path
):
    stopping = threading.Event()
    stopping.set()
    nowhere = SiteChannel(redis.Redis.from_url(f"unix://{tmp_path}/no.sock"), KEY, "host")
    assignment = Assignment.read(message(verification="v"))
    assert not Outbox(tmp_path / "box", nowhere, stopping.is_set).deliver(assignment, {"id": "s"})
    Outbox(tmp_path / "box", worker.channel, stopping.is_set).deliver_leftovers()
    assert sent(client) == [("report", {"id": "s"})]
    assert list((tmp_path / "box").iterdir()) == []


def test_a_report_that_is_too_long_for_a_message_is_reported_as_a_failure_of_the_worker(
    worker, client, monkeypatch
):
    monkeypatch.setattr(envelope, "MAX_BODY_BYTES", 2000)
    worker.channel.report("v", 1, "n", {"id": "s", "outcome": "passed", "detail": "x" * 5000})
    [(_, report)] = sent(client)
    assert (report["id"], report["outcome"]) == ("s", "infra_error")
    assert "could not send its report (passed)" in report["detail"]


def test_a_site_that_does_not_read_is_sent_reports_and_no_more_heartbeats(worker, client, monkeypatch):
    monkeypatch.setattr("eval_app.host.site_channel.BACKLOG", 3)
    for _ in range(10):
        worker.channel.heartbeat([])
    worker.channel.report("v", 1, "n", {"id": "s"})
    assert [purpose for purpose, _ in sent(client)] == ["heartbeat"] * 4 + ["report"]


def test_two_workers_on_one_machine_have_two_names_and_keep_them(tmp_path):
    first, second = take_identity(tmp_path, "gpu"), take_identity(tmp_path, "gpu")
    assert (first.name, second.name) == ("gpu", "gpu-2")
    first.lock.close()
    assert take_identity(tmp_path, "gpu").name == "gpu"


def test_a_host_needs_no_django_and_its_own_process_no_torch():
    code = (
        "import sys\n"
        "sys.modules.update(django=None, torch=None, concur_site=None)  # an import of them fails\n"
        "import eval_app.host.main, eval_app.host.bench\n"
        "rooms = {name.split('.')[1] for name in sys.modules if name.startswith('datasets_app.')}\n"
        "assert rooms <= {'durable', 'log_context'}, rooms  # of the standard library alone\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_host_without_the_address_of_redis_says_what_to_set():
    code = "import sys; from eval_app.host.main import main; sys.exit(main(lambda folder: None))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "REDIS_URL" in done.stderr


def test_a_report_without_room_on_the_disk_is_sent_from_memory(worker, client):
    part = worker.outbox.folder / "v-1.part"
    part.symlink_to("/dev/full")  # every write to it fails as on a full disk
    assert worker.outbox.deliver(Assignment.read(message(verification="v")), {"id": "s"})
    assert client.llen(SENT) == 1
    assert list(worker.outbox.folder.iterdir()) == [], "nothing half-written remains"
