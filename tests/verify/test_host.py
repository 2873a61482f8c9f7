"""The worker's own parts, over a real Redis, without Django."""

import subprocess
import sys
import threading
import uuid

import pytest
import redis

from eval_app.broker import make_app
from eval_app.claims import DONE, Claims, holders
from eval_app.host.identity import take_identity
from eval_app.host.line import Line, Outbox
from eval_app.host.pulse import Desk, Pulse
from eval_app.host.worker import Host
from tests.verify.processes import ROOT
from tests.verify.stand_in import StandInBench


@pytest.fixture
def client(redis_url):
    client = redis.Redis.from_url(redis_url)
    client.flushall()
    return client


class Worker:
    """A host as main.py puts it together, without Celery's consumer."""

    def __init__(self, client, redis_url, folder, name="host"):
        self.runs = folder / "runs.txt"
        self.bench = StandInBench(self.runs)
        self.stopping = threading.Event()
        self.desk = Desk()
        self.claims = Claims(client, name)
        self.line = Line(make_app(redis_url, fixups=[]), name)
        self.outbox = Outbox(folder / name, self.line, self.stopping.is_set)
        self.host = Host(self.bench, self.claims, self.outbox, self.desk, self.stopping)

    def count(self):
        return len(self.runs.read_text().splitlines()) if self.runs.exists() else 0


@pytest.fixture
def worker(client, redis_url, tmp_path):
    return Worker(client, redis_url, tmp_path)


def message(candidate="pass", **fields):
    job = {"id": "sample-1", "reference": "r", "candidate": candidate, "language": "cpp", "profile": "quick"}
    return {
        "verification": str(uuid.uuid4()),
        "attempt": 1,
        "device": "cpu",
        "lease_seconds": 2,
        "job": job,
        **fields,
    }


def test_the_same_message_delivered_twice_runs_once(worker, client):
    twice = message()
    assert worker.host.work(twice)
    assert worker.host.work(twice)
    assert worker.count() == 1
    assert client.llen("site") == 1


def test_the_same_message_given_to_two_workers_at_once_runs_once(client, redis_url, tmp_path):
    workers = [Worker(client, redis_url, tmp_path, name) for name in ("one", "two")]
    same = message("sleep 0.5")
    threads = [threading.Thread(target=one.host.work, args=[same]) for one in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert workers[0].count() == 1


def test_a_bench_that_fails_is_reported_as_our_fault_with_its_traceback(worker, client):
    worker.host.work(message("raise"))
    (text,) = client.lrange("site", 0, -1)
    import base64
    import json

    report = json.loads(base64.b64decode(json.loads(text)["body"]))[0][2]
    assert report["outcome"] == "infra_error"
    assert "the bench fell over" in report["detail"]


def test_a_message_that_cannot_be_read_is_dropped(worker):
    assert worker.host.work({"verification": "x"})
    assert worker.count() == 0


def test_a_worker_that_stops_takes_no_message(worker):
    worker.stopping.set()
    assert not worker.host.work(message())
    assert worker.count() == 0


def test_a_cancelled_row_is_dropped_without_a_report(worker, client):
    wanted = message("sleep 5")
    Claims(client, "site").finish(wanted["verification"], 1)
    assert worker.host.work(wanted)
    assert worker.count() == 0


def test_the_pulse_stops_what_nobody_waits_for_any_more(worker, client):
    wanted = message("sleep 30")
    pulse = Pulse(worker.line, worker.claims, worker.desk, dict)
    thread = threading.Thread(target=worker.host.work, args=[wanted])
    thread.start()
    while not worker.desk.running():
        thread.join(0.02)
    Claims(client, "site").finish(wanted["verification"], 1)
    pulse.tick(100.0)
    thread.join(5)
    assert not thread.is_alive()


def test_the_pulse_beats_while_the_engine_is_silent(worker, client):
    pulse = Pulse(worker.line, worker.claims, worker.desk, dict)
    thread = threading.Thread(target=worker.host.work, args=[message("sleep 0.6")])
    thread.start()
    while not worker.desk.running() or worker.desk.running()[0].stage == "queued":
        thread.join(0.02)
    for moment in (100.0, 100.1, 100.8):  # a beat is due each third of a lease of 2 s
        pulse._announced = moment
        pulse.tick(moment)
    thread.join()
    beats = [text for text in client.lrange("site", 0, -1) if b"eval_app.heartbeat" in text]
    assert len(beats) == 2


def test_a_dead_holders_claim_runs_out_and_a_finished_one_does_not(client):
    dead, done = Claims(client, "dead"), Claims(client, "done")
    dead.take("a", 1, seconds=5)
    done.take("b", 1, seconds=5)
    done.finish("b", 1)
    assert client.ttl("concur:claim:a:1") <= 5
    assert client.ttl("concur:claim:b:1") > 3600
    assert holders(client, [("a", 1), ("b", 1), ("c", 1)]) == ["dead", DONE, None]


def test_a_claim_that_redis_forgot_is_set_again(client):
    claims = Claims(client, "host")
    claims.take("a", 1, 5)
    client.flushall()
    assert claims.renew("a", 1, 5)
    assert not Claims(client, "other").take("a", 1, 5)


def test_a_report_waits_on_disk_while_the_broker_is_down_and_is_delivered_by_the_next_start(
    worker, client, tmp_path
):
    stopping = threading.Event()
    stopping.set()
    nowhere = Line(make_app(f"unix://{tmp_path}/no.sock", fixups=[]), "host")
    assert not Outbox(tmp_path / "box", nowhere, stopping.is_set).deliver("v", 1, {"id": "s"})
    Outbox(tmp_path / "box", worker.line, stopping.is_set).deliver_leftovers()
    assert client.llen("site") == 1
    assert list((tmp_path / "box").iterdir()) == []


def test_two_workers_on_one_machine_have_two_names_and_keep_them(tmp_path):
    first, second = take_identity(tmp_path, "gpu"), take_identity(tmp_path, "gpu")
    assert (first.name, second.name) == ("gpu", "gpu-2")
    first.lock.close()
    assert take_identity(tmp_path, "gpu").name == "gpu"


def test_a_host_needs_no_django_and_its_own_process_no_torch():
    code = (
        "import sys\n"
        "sys.modules.update(django=None, torch=None, concur_site=None, datasets_app=None)  # an import of them fails\n"
        "import eval_app.host.main, eval_app.host.bench\n"
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
