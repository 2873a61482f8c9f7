"""The line to the site: signed messages in this host's own list, and the outbox that never loses a report."""

import json
import logging
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

import redis
from kombu.exceptions import OperationalError

from eval_app.broker.messages import envelope
from eval_app.broker.messages.keys import HostKey, inbound_list, notice_key
from eval_app.host.assignment import Assignment

log = logging.getLogger(__name__)
BROKER_ERRORS = (OperationalError, redis.RedisError, OSError)
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 15.0
BACKLOG = 500  # unread messages: the site sleeps, and what says how things are now need not wait for it


class Line:
    """Messages from one worker to the site. Each method raises BROKER_ERRORS where the broker is down."""

    def __init__(self, client: redis.Redis, key: HostKey, worker: str) -> None:
        self.client, self.key, self.worker = client, key, worker
        self.session = secrets.token_hex(16)
        self._lock = Lock()
        self._sequence = 0
        self._unread = 0

    def heartbeat(self, running: list[dict[str, Any]]) -> None:
        """These rows are being worked on. Dropped where the site does not read: an old one says nothing."""
        self.send_fresh("heartbeat", running)

    def announce(self, facts: dict[str, Any]) -> None:
        """What this worker is and how it is."""
        self.send_fresh("announce", facts)

    def report(self, verification: str, attempt: int, nonce: str, report: dict[str, Any]) -> None:
        row = {"verification": verification, "attempt": attempt, "nonce": nonce}
        try:
            self.send("report", report, **row)
        except envelope.EnvelopeError as error:
            self.send("report", unsendable(report, error), **row)

    def give_back(self, assignment: Assignment) -> None:
        row = {
            "verification": assignment.verification,
            "attempt": assignment.attempt,
            "nonce": assignment.nonce,
        }
        self.send("give_back", None, **row)

    def send_fresh(self, purpose: str, content: Any) -> None:
        """In the order of their numbers: the site drops one that is older than another."""
        with self._lock:
            if self._unread > BACKLOG:
                self._unread = int(self.client.llen(inbound_list(self.key.name)))
            if self._unread <= BACKLOG:
                self._sequence = max(self._sequence + 1, time.time_ns() // 1000)
                self.send(purpose, content, sequence=self._sequence, session=self.session)

    def send(self, purpose: str, content: Any, **head: Any) -> None:
        head |= {"purpose": purpose, "host": self.key.name, "worker": self.worker}
        raw = envelope.pack(self.key.private, head, content)
        self._unread = int(self.client.lpush(inbound_list(self.key.name), raw))

    def refusal(self) -> str | None:
        """Why the site refuses this worker, empty where it does not; None while it has not answered."""
        raw = self.client.get(notice_key(self.key.name, self.worker))
        if not isinstance(raw, bytes):
            return None
        try:
            head, content = envelope.unpack(raw, self.key.site_public)
        except envelope.EnvelopeError as error:
            log.warning("The site's answer is not by the site that this key is of: %s", error)
            return None
        mine = ("notice", self.key.name, self.worker, self.session)
        if tuple(head.get(name) for name in ("purpose", "host", "worker", "session")) != mine:
            return None
        return str(content["refusal"])


def unsendable(report: dict[str, Any], error: Exception) -> dict[str, Any]:
    """What the site gets instead of a report that is too long for a message."""
    return {
        "id": str(report.get("id", ""))[:200],
        "outcome": "infra_error",
        "detail": f"The worker could not send its report ({report.get('outcome')}): {error}"[:8000],
    }


def persist(action: Callable[[], Any], what: str, stopping: Callable[[], bool]) -> bool:
    """Do `action` until the broker takes it. False if the worker was told to stop before it did."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        try:
            action()
        except BROKER_ERRORS as error:
            log.warning("The broker does not take %s (%s); again in %.1f s", what, error, pause)
        else:
            return True
        if stopping():
            return False
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


class Outbox:
    """Reports on their way: on disk until the broker has them, so that neither it nor we may crash them away."""

    def __init__(self, folder: Path, line: Line, stopping: Callable[[], bool]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.line = line
        self.stopping = stopping

    def deliver(self, assignment: Assignment, report: dict[str, Any]) -> bool:
        """Hand a report to the site. False if it must wait on disk for the next start."""
        path = self.folder / f"{assignment.verification}-{assignment.attempt}.json"
        letter = {
            "verification": assignment.verification,
            "attempt": assignment.attempt,
            "nonce": assignment.nonce,
            "report": report,
        }
        try:
            write_whole(path, letter)
        except OSError as error:
            # A full disk: the report is sent from memory, and no crash may come before that.
            log.warning("The report %s cannot be kept on disk (%s)", path.stem, error)
            return self.send(path, letter)
        return self.pass_on(path)

    def deliver_leftovers(self) -> None:
        """What an earlier run of this worker could not deliver."""
        for path in sorted(self.folder.glob("*.json")):
            log.info("Delivering a report that was left over: %s", path.stem)
            self.pass_on(path)

    def pass_on(self, path: Path) -> bool:
        letter = json.loads(path.read_text())
        if "nonce" not in letter:
            log.warning("Dropped the report %s of an earlier version: the site has it run again", path.stem)
            path.unlink(missing_ok=True)
            return True
        return self.send(path, letter)

    def send(self, path: Path, letter: dict[str, Any]) -> bool:
        """Send a report until the broker has it; then it is on disk no more."""
        sent = persist(lambda: self.line.report(**letter), f"the report {path.stem}", self.stopping)
        if sent:
            path.unlink(missing_ok=True)
        return sent


def write_whole(path: Path, content: dict[str, Any]) -> None:
    """All of the file or nothing, also when the power fails."""
    part = path.with_suffix(".part")
    try:
        with part.open("w") as file:
            json.dump(content, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
