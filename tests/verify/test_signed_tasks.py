"""Tests of Celery's own messages: a worker runs tasks signed for its queue, and drops all others unread."""

import base64
import json
import uuid

import pytest
from celery import current_app
from kombu import Connection

from datasets_app.accounts.actor import COMMAND
from eval_app.broker import celery_app as names
from eval_app.broker.messages import celery_messages, envelope
from eval_app.broker.messages.keys import HostKey
from eval_app.queue import dispatch
from eval_app.request.verify import request_verification
from eval_app.tasks import fill_queues
from eval_app.workers import site_key
from tests.factories import make_sample

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_collection"), pytest.mark.any_database]


class Arrived:
    """A message as Celery's consumer receives it."""

    def __init__(self, raw: bytes) -> None:
        found = json.loads(raw)
        self.headers, self.body = found["headers"], base64.b64decode(found["body"])


def site_task(broker):
    fill_queues.delay()
    return Arrived(broker.lindex("site", 0))


def job(broker, redis_url):
    (row,) = request_verification([make_sample()], device="cpu", actor=COMMAND)
    dispatch.send([row.pk])
    return Arrived(broker.lindex("verify.cpu", 0))


def check(message, serves=names.is_of_the_site):
    celery_messages.check(message, site_key.verifying_key(), serves)


def on_a_host(message, key=None):
    celery_messages.check(message, key or site_key.verifying_key(), ["verify.cpu"].__contains__)


def test_the_sites_own_task_is_accepted_with_its_signed_headers_alone(broker):
    message = site_task(broker)
    message.headers["eta"] = "2099-01-01T00:00:00"
    check(message)
    assert message.headers == {"lang": "py", "task": "eval_app.fill_queues", "id": message.headers["id"]}


def test_a_job_is_accepted_by_a_host_and_carries_the_nonce(broker, redis_url):
    message = job(broker, redis_url)
    on_a_host(message)
    content = json.loads(message.body)[0][0]
    assert content["nonce"] == site_key.nonce(content["verification"], 1)


def test_a_task_that_nobody_signed_is_dropped(broker):
    message = site_task(broker)
    del message.headers["envelope"]
    with pytest.raises(envelope.EnvelopeError, match="not signed"):
        check(message)


def test_a_task_that_a_host_signed_is_dropped(broker):
    message = site_task(broker)
    key = HostKey.make("gpu-7", site_key.public_bytes())
    head = {"purpose": message.headers["task"], "id": message.headers["id"], "queue": "site", "issued_at": 0}
    message.headers["envelope"] = envelope.seal(key.private, head, message.body).decode()
    with pytest.raises(envelope.EnvelopeError, match="signature"):
        check(message)


def test_a_job_that_the_site_did_not_sign_is_dropped_by_a_host(broker, redis_url):
    other_site = HostKey.make("x", bytes(32)).private.public_key()
    with pytest.raises(envelope.EnvelopeError, match="signature"):
        on_a_host(job(broker, redis_url), other_site)


def test_a_job_is_no_task_of_the_site_and_a_task_is_no_job(broker, redis_url):
    with pytest.raises(envelope.EnvelopeError, match="another queue"):
        check(job(broker, redis_url))
    with pytest.raises(envelope.EnvelopeError, match="another queue"):
        on_a_host(site_task(broker))


@pytest.mark.parametrize(
    "change",
    [
        {"task": "datasets_app.write_export"},
        {"id": str(uuid.uuid4())},
        {"envelope": "CW1 x"},
        {"envelope": 5},
    ],
)
def test_a_signed_message_under_other_headers_is_dropped(broker, change):
    message = site_task(broker)
    message.headers |= change
    with pytest.raises(envelope.EnvelopeError):
        check(message)


def test_a_signed_message_with_another_body_is_dropped(broker):
    message = site_task(broker)
    message.body = message.body.replace(b"null", b'"x"', 1)
    with pytest.raises(envelope.EnvelopeError, match="body"):
        check(message)


def test_a_job_of_long_ago_is_dropped(broker, redis_url, monkeypatch):
    message = job(broker, redis_url)
    monkeypatch.setattr(celery_messages, "MAX_AGE_SECONDS", -1)
    with pytest.raises(envelope.EnvelopeError, match="long ago"):
        on_a_host(message)


def test_the_sites_answer_to_a_host_is_no_task(broker):
    message = site_task(broker)
    message.headers["envelope"] = envelope.seal(
        site_key.signing_key(), {"purpose": "notice"}, message.body
    ).decode()
    with pytest.raises(envelope.EnvelopeError):
        check(message)


def test_nobody_may_steer_a_worker_by_the_broker():
    for app in (current_app, names.make_app("redis://localhost", fixups=[])):
        assert not app.conf.worker_enable_remote_control
        assert not app.conf.worker_send_task_events
        assert list(app.conf.accept_content) == ["json"]
        assert app.conf.result_backend is None


@pytest.mark.parametrize(
    "garbage", [b"garbage", b"{}", b"[1]", b"null", b"[" * 100_000, b"\xff", b'{"properties": 5}']
)
def test_what_is_no_message_is_dropped_and_the_next_one_arrives(broker, redis_url, garbage):
    app = names.make_app(redis_url, fixups=[])
    seen = []
    with Connection(names.broker_url(redis_url)) as connection:
        consumer = connection.Consumer(
            [app.amqp.queues["verify.cpu"]],
            callbacks=[lambda body, message: seen.append(body)],
            accept=["json"],
        )
        with consumer:
            broker.lpush("verify.cpu", garbage)
            app.send_task("verify", ["next"], queue="verify.cpu")
            connection.drain_events(timeout=60)
    assert [body[0] for body in seen] == [["next"]]
