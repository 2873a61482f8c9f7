"""Celery messages that the site signed: its jobs for hosts, and its own background tasks. Imports no Django.

The seal travels in the header `envelope` and covers the task's name, its id, the queue and the bytes of the body. The
consumer looks at it before Celery parses anything, and passes on the signed headers only.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

from celery import Celery, signals
from celery.worker.consumer import Consumer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from kombu import serialization

from eval_app.broker.messages import envelope

log = logging.getLogger(__name__)
HEADER = "envelope"
MAX_AGE_SECONDS = 7 * 24 * 3600  # a row that waits for longer is sent again
CLOCK_SKEW_SECONDS = 24 * 3600  # a host's clock may be wrong; a replayed job is dropped by its claim


def sign_what_is_sent(key: Callable[[], Ed25519PrivateKey]) -> None:
    """Sign every message that a Celery application of this process sends."""

    def sign(sender: str, body: Any, headers: dict[str, Any], routing_key: str, **_: Any) -> None:
        text = serialization.dumps(body, serializer="json")[2]
        head = {"purpose": sender, "id": headers["id"], "queue": routing_key, "issued_at": int(time.time())}
        headers[HEADER] = envelope.seal(key(), head, text.encode()).decode()

    signals.before_task_publish.connect(sign, weak=False, dispatch_uid="concur-sign")


def accept_signed_only(
    app: Celery, key: Callable[[], Ed25519PublicKey], serves: Callable[[str], bool]
) -> None:
    """Have this application's worker drop what `key` has not signed for a queue that the worker `serves`."""
    app.conf.worker_consumer = f"{SignedConsumer.__module__}:{SignedConsumer.__name__}"
    app.concur_check = lambda message: check(message, key(), serves)


def check(message: Any, key: Ed25519PublicKey, serves: Callable[[str], bool]) -> None:
    """Leave a message with the headers that were signed. Raises EnvelopeError."""
    headers = message.headers if isinstance(message.headers, dict) else {}
    sealed = headers.get(HEADER)
    if not isinstance(sealed, str):
        raise envelope.EnvelopeError("It is not signed, as by a version of the site or of a host before 1.1")
    body = message.body if isinstance(message.body, bytes) else str(message.body).encode("utf-8", "replace")
    head = envelope.opened(sealed.encode("utf-8", "replace"), body, key)
    if not isinstance(head.get("queue"), str) or not serves(head["queue"]):
        raise envelope.EnvelopeError("It was signed for another queue")
    if not -CLOCK_SKEW_SECONDS < time.time() - head["issued_at"] < MAX_AGE_SECONDS:
        raise envelope.EnvelopeError("It was signed long ago, or this machine's clock is wrong")
    if (head["purpose"], head["id"]) != (headers.get("task"), headers.get("id")):
        raise envelope.EnvelopeError("Its headers are not those that were signed")
    message.headers = {"lang": "py", "task": head["purpose"], "id": head["id"]}


class SignedConsumer(Consumer):
    """Celery's consumer, which drops what the application's check refuses."""

    def create_task_handler(self, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        handle = super().create_task_handler(*args, **kwargs)

        def checked(message: Any) -> Any:
            try:
                self.app.concur_check(message)
            except envelope.EnvelopeError as error:
                log.warning("Dropped the message %s: %s", described(message), error)
                return message.ack()
            return handle(message)

        return checked


def described(message: Any) -> str:
    """A message's own name for itself: nobody has vouched for it, so it is cut and quoted."""
    headers = message.headers if isinstance(message.headers, dict) else {}
    return repr(str(headers.get("task", ""))[:80])
