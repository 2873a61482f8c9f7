"""The line to the site: small messages on its queue, and the outbox that never loses a report."""

import json
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import redis
from celery import Celery
from kombu.exceptions import OperationalError

from eval_app.broker import ANNOUNCE_TASK, GIVE_BACK_TASK, HEARTBEAT_TASK, RECORD_TASK, SITE_QUEUE

log = logging.getLogger(__name__)
BROKER_ERRORS = (OperationalError, redis.RedisError, OSError)
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 15.0


class Line:
    """Messages from one worker to the site. Each method raises BROKER_ERRORS where the broker is down."""

    def __init__(self, app: Celery, worker: str) -> None:
        self.app = app
        self.worker = worker

    def heartbeat(self, running: list[dict[str, Any]], seconds: int) -> None:
        """An old heartbeat says nothing: it is dropped where the site takes longer than `seconds`."""
        self.send(HEARTBEAT_TASK, [self.worker, running], expires=seconds)

    def announce(self, facts: dict[str, Any], seconds: int) -> None:
        self.send(ANNOUNCE_TASK, [self.worker, facts], expires=seconds)

    def report(self, verification: str, attempt: int, report: dict[str, Any]) -> None:
        self.send(RECORD_TASK, [verification, attempt, report])

    def give_back(self, verification: str, attempt: int) -> None:
        self.send(GIVE_BACK_TASK, [verification, attempt])

    def send(self, task: str, args: list[Any], **options: Any) -> None:
        self.app.send_task(task, args=args, queue=SITE_QUEUE, retry=False, **options)


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

    def deliver(self, verification: str, attempt: int, report: dict[str, Any]) -> bool:
        """Hand a report to the site. False if it must wait on disk for the next start."""
        path = self.folder / f"{verification}-{attempt}.json"
        write_whole(path, {"verification": verification, "attempt": attempt, "report": report})
        return self.pass_on(path)

    def deliver_leftovers(self) -> None:
        """What an earlier run of this worker could not deliver."""
        for path in sorted(self.folder.glob("*.json")):
            log.info("Delivering a report that was left over: %s", path.stem)
            self.pass_on(path)

    def pass_on(self, path: Path) -> bool:
        letter = json.loads(path.read_text())
        sent = persist(lambda: self.line.report(**letter), f"the report {path.stem}", self.stopping)
        if sent:
            path.unlink(missing_ok=True)
        return sent


def write_whole(path: Path, content: dict[str, Any]) -> None:
    """All of the file or nothing, also when the power fails."""
    part = path.with_suffix(".part")
    with part.open("w") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
