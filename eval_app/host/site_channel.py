"""The channel to the site: signed messages to this host's own list in Redis."""

import logging
import secrets
import time
from collections.abc import Callable
from threading import Lock
from typing import Any

import redis
from kombu.exceptions import OperationalError

from eval_app.broker.messages import envelope
from eval_app.broker.messages.keys import HostKey, inbound_list, notice_key
from eval_app.host.answer import Answer
from eval_app.host.assignment import Assignment

log = logging.getLogger(__name__)
BROKER_ERRORS = (OperationalError, redis.RedisError, OSError)
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 15.0
BACKLOG = 500  # unread messages, above which state messages are dropped: the site is not reading


class SiteChannel:
    """Messages from one worker to the site. Each method raises BROKER_ERRORS if the broker is down."""

    def __init__(self, client: redis.Redis, key: HostKey, worker: str) -> None:
        self.client, self.key, self.worker = client, key, worker
        self.session = secrets.token_hex(16)
        self._lock = Lock()
        self._sequence = 0
        self._unread = 0

    def heartbeat(self, running: list[dict[str, Any]]) -> None:
        """Report the rows in progress. Dropped while the site is not reading: an old heartbeat has no value."""
        self.send_fresh("heartbeat", running)

    def announce(self, facts: dict[str, Any]) -> None:
        """Report the worker's properties and state."""
        self.send_fresh("announce", facts)

    def report(self, verification: str, attempt: int, nonce: str, report: dict[str, Any]) -> None:
        """Send a finished report, or a short one if it is too long for a message."""
        row = {"verification": verification, "attempt": attempt, "nonce": nonce}
        try:
            self.send("report", report, **row)
        except envelope.EnvelopeError as error:
            self.send("report", unsendable(report, error), **row)

    def give_back(self, assignment: Assignment) -> None:
        """Return an assignment to the site."""
        row = {
            "verification": assignment.verification,
            "attempt": assignment.attempt,
            "nonce": assignment.nonce,
        }
        self.send("give_back", None, **row)

    def send_fresh(self, purpose: str, content: Any) -> None:
        """Send a state message with an increasing number: the site drops messages that arrive out of order."""
        with self._lock:
            if self._unread > BACKLOG:
                self._unread = int(self.client.llen(inbound_list(self.key.name)))
            if self._unread <= BACKLOG:
                self._sequence = max(self._sequence + 1, time.time_ns() // 1000)
                self.send(purpose, content, sequence=self._sequence, session=self.session)

    def send(self, purpose: str, content: Any, **head: Any) -> None:
        """Sign a message and append it to the host's list."""
        head |= {"purpose": purpose, "host": self.key.name, "worker": self.worker}
        raw = envelope.pack(self.key.private, head, content)
        self._unread = int(self.client.lpush(inbound_list(self.key.name), raw))

    def answer(self) -> Answer | None:
        """Return the site's answer to this process's announcements; None while it has not answered."""
        raw = self.client.get(notice_key(self.key.name, self.worker))
        if not isinstance(raw, bytes):
            return None
        try:
            head, content = envelope.unpack(raw, self.key.site_public)
        except envelope.ProtocolError as error:
            which = "this host" if error.version > envelope.PROTOCOL else "the site first"
            log.error(
                "%s: upgrade %s. No jobs are taken",
                str(error).replace("It is", "The site's answer is"),
                which,
            )
            return None
        except envelope.EnvelopeError as error:
            log.warning("The answer is not signed by this key's site: %s", error)
            return None
        mine = ("notice", self.key.name, self.worker, self.session)
        if tuple(head.get(name) for name in ("purpose", "host", "worker", "session")) != mine:
            return None
        return Answer.read(content)


def unsendable(report: dict[str, Any], error: Exception) -> dict[str, Any]:
    """Return the report that replaces one that is too long for a message."""
    return {
        "id": str(report.get("id", ""))[:200],
        "outcome": "infra_error",
        "detail": f"The worker could not send its report ({report.get('outcome')}): {error}"[:8000],
    }


def persist(action: Callable[[], Any], what: str, stopping: Callable[[], bool]) -> bool:
    """Repeat `action` until the broker accepts it. Return False if the worker was stopped before."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        try:
            action()
        except BROKER_ERRORS as error:
            log.warning("The broker does not accept %s (%s); next attempt in %.1f s", what, error, pause)
        else:
            return True
        if stopping():
            return False
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
