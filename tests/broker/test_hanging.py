"""Tests of a Redis that hangs (SIGSTOP): one request waits for it, for at most a second; the next do not.

Waits are counted, not timed, so that load on the machine has no effect.
"""

import os
import signal
from collections.abc import Callable
from importlib import import_module

import pytest
import redis
from celery import current_app
from redis.connection import AbstractConnection

from datasets_app.broker import circuit, client, is_answering
from datasets_app.broker.client import TIMEOUT_SECONDS
from datasets_app.models import Ingest, Verification
from eval_app.broker.celery_app import make_app
from eval_app.site_worker.sweeper import sweep
from tests.factories import make_sample
from tests.redis_server import running_redis

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.any_database]
LONGEST_WAIT_SECONDS = 1.0


class Broker:
    def __init__(self, url: str) -> None:
        self.redis = redis.Redis.from_url(url)
        self.pid = self.redis.info()["process_id"]

    def hang(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)


@pytest.fixture
def broker(settings, monkeypatch):
    """A Redis that this test may stop, connected as in the site's process, which waits no longer than a second."""
    monkeypatch.setattr(import_module("datasets_app.broker.client"), "TIMEOUT_SECONDS", TIMEOUT_SECONDS)
    before = current_app._get_current_object()
    with running_redis() as url:
        settings.REDIS_URL = url
        make_app(url, producer_timeout_seconds=TIMEOUT_SECONDS).set_current()
        client.cache_clear()
        broker = Broker(url)
        yield broker
        broker.go_on()
        before.set_current()
        client.cache_clear()


@pytest.fixture
def waits_of(monkeypatch) -> Callable[[Callable[[], object]], int]:
    """Return how often an action waited for an answer until its deadline of at most a second."""
    timeouts: list[float] = []
    read = AbstractConnection.read_response

    def counted(connection, *args, **options):
        try:
            return read(connection, *args, **options)
        except redis.TimeoutError:
            timeouts.append(options.get("timeout") or connection.socket_timeout)
            raise

    def waits(action: Callable[[], object]) -> int:
        timeouts.clear()
        action()
        assert all(0 < seconds <= LONGEST_WAIT_SECONDS for seconds in timeouts)
        return len(timeouts)

    monkeypatch.setattr(AbstractConnection, "read_response", counted)
    return waits


def ask(person, sample):
    answer = person.post("/verify/ask/", {"sample": str(sample.pk), "device": "cpu"})
    assert answer.status_code in (200, 302), answer.status_code


def test_asking_for_a_verification_waits_once_and_briefly_and_is_kept(annotator, broker, waits_of):
    samples = [make_sample() for _ in range(3)]
    broker.hang()
    assert [waits_of(lambda sample=sample: ask(annotator, sample)) for sample in samples] == [1, 0, 0]
    assert [row.sent_at for row in Verification.objects.waiting()] == [None] * 3


def test_what_was_asked_for_meanwhile_is_sent_by_the_sweeper(annotator, broker):
    broker.hang()
    ask(annotator, make_sample())
    broker.go_on()
    for _ in range(20):  # a busy machine may keep Redis from answering within a sweep's second
        circuit.reset()  # its waiting period is over
        if sweep().sent_again:
            break
    assert broker.redis.llen("verify.cpu") == 1


def test_a_sweep_beside_a_hanging_broker_ends_and_still_hands_on_what_dead_workers_held(
    annotator, broker, waits_of
):
    ask(annotator, make_sample())
    Verification.objects.update(state="running", lease_until="2020-01-01T00:00Z", worker="dead")
    broker.hang()
    assert waits_of(sweep) <= 2
    assert Verification.objects.waiting().count() == 1


def test_cancelling_waits_as_briefly(annotator, broker, waits_of):
    for _ in range(2):
        ask(annotator, make_sample())
    rows = list(Verification.objects.all())
    broker.hang()
    assert [waits_of(lambda row=row: annotator.post(f"/verify/{row.pk}/cancel/")) for row in rows] == [1, 0]
    assert Verification.objects.waiting().count() == 0


def test_an_upload_waits_as_briefly_and_its_ingest_waits_as_a_row(
    curator, broker, waits_of, tmp_path, settings
):
    settings.UPLOAD_DIR = tmp_path
    file = tmp_path / "some.jsonl"
    file.write_text('{"task": "a"}\n')
    broker.hang()
    with file.open("rb") as stream:
        answer = {}
        waits = waits_of(
            lambda: answer.update(
                page=curator.post(
                    "/ingest/", {"files": [stream], "format": "generic", "source": "a", "licence": "MIT"}
                )
            )
        )
    assert answer["page"].status_code == 302, answer["page"].content.decode()[-3000:]
    assert waits <= 1
    assert Ingest.objects.get().state == "queued"


def says_that_it_answers_once(reader, address):
    """Ask for a page several times: a busy machine may keep Redis from answering within the page's second."""
    for _ in range(20):
        circuit.reset()
        if "broker does not answer" not in reader.get(address).content.decode():
            return True
    return False


@pytest.mark.parametrize("address", ["/", "/verify/"])
def test_the_pages_say_in_red_that_the_broker_does_not_answer(reader, broker, address):
    assert says_that_it_answers_once(reader, address)
    broker.hang()
    assert not is_answering()
    page = reader.get(address).content.decode()
    assert "The broker does not answer." in page
    assert 'class="notice is-ours" role="alert"' in page


def test_a_broker_that_refuses_writes_is_no_fault_of_the_page(annotator, broker):
    """Redis answers so when its disk is full (MISCONF); the test uses another rule with the same answer."""
    broker.redis.config_set("min-replicas-to-write", 1)
    ask(annotator, make_sample())
    assert Verification.objects.get().sent_at is None
