"""Celery messages signed by the site: jobs for hosts, and its own background tasks. Imports no Django.

The seal is in the header `envelope` and covers the task's name, its id, the queue and the bytes of the body.
The consumer verifies it before Celery parses anything, and passes on only the signed headers.
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
MAX_AGE_SECONDS = 7 * 24 * 3600  # a row that waits longer is sent again
CLOCK_SKEW_SECONDS = 24 * 3600  # a host's clock may be wrong; a replayed job is dropped by its lock


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
    """Drop messages that `key` did not sign for a queue that this application's worker `serves`."""
    app.conf.worker_consumer = f"{SignedConsumer.__module__}:{SignedConsumer.__name__}"
    app.concur_check = lambda message: check(message, key(), serves)


def check(message: Any, key: Ed25519PublicKey, serves: Callable[[str], bool]) -> None:
    """Keep only the signed headers of a message. Raises EnvelopeError."""
    headers = message.headers if isinstance(message.headers, dict) else {}
    sealed = headers.get(HEADER)
    if not isinstance(sealed, str):
        raise envelope.EnvelopeError("It is not signed; versions before 1.1 did not sign")
    body = message.body if isinstance(message.body, bytes) else str(message.body).encode("utf-8", "replace")
    head = envelope.opened(sealed.encode("utf-8", "replace"), body, key)
    if not isinstance(head.get("queue"), str) or not serves(head["queue"]):
        raise envelope.EnvelopeError("It was signed for another queue")
    if not -CLOCK_SKEW_SECONDS < time.time() - head["issued_at"] < MAX_AGE_SECONDS:
        raise envelope.EnvelopeError("It was signed too long ago, or this machine's clock is wrong")
    if (head["purpose"], head["id"]) != (headers.get("task"), headers.get("id")):
        raise envelope.EnvelopeError("Its headers are not those that were signed")
    message.headers = {"lang": "py", "task": head["purpose"], "id": head["id"]}


class SignedConsumer(Consumer):
    """Celery's consumer, which drops messages that fail the application's check."""

    def create_task_handler(self, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        """Return the handler with the check in front."""
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
    """Return a message's task name, cut and quoted, because it is not verified."""
    headers = message.headers if isinstance(message.headers, dict) else {}
    return repr(str(headers.get("task", ""))[:80])
