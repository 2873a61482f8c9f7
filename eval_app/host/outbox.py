"""The outbox of a worker: finished reports, kept on disk until the broker has accepted them."""

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from datasets_app.durable.folders import sync_folder
from eval_app.host.assignment import Assignment
from eval_app.host.site_channel import SiteChannel, persist

log = logging.getLogger(__name__)


class Outbox:
    """Reports in transit: on disk until the broker has accepted them, so that no crash of either side loses one."""

    def __init__(self, folder: Path, channel: SiteChannel, stopping: Callable[[], bool]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.channel = channel
        self.stopping = stopping

    def deliver(self, assignment: Assignment, report: dict[str, Any]) -> bool:
        """Send a report to the site. Return False if it must wait on disk for the next start."""
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
            # Full disk: the report is sent from memory, and is lost if this process crashes first.
            log.warning("The report %s cannot be stored on disk (%s)", path.stem, error)
            return self.send(path, letter)
        return self.pass_on(path)

    def deliver_leftovers(self) -> None:
        """Send reports that an earlier run of this worker could not deliver."""
        for path in sorted(self.folder.glob("*.json")):
            log.info("Delivering a report of an earlier run: %s", path.stem)
            self.pass_on(path)

    def pass_on(self, path: Path) -> bool:
        """Send a stored report."""
        letter = json.loads(path.read_text())
        if "nonce" not in letter:
            log.warning("Dropped the report %s of an earlier version: the site repeats the job", path.stem)
            path.unlink(missing_ok=True)
            return True
        return self.send(path, letter)

    def send(self, path: Path, letter: dict[str, Any]) -> bool:
        """Send a report until the broker accepts it, then delete its file."""
        sent = persist(lambda: self.channel.report(**letter), f"the report {path.stem}", self.stopping)
        if sent:
            path.unlink(missing_ok=True)
        return sent


def write_whole(path: Path, content: dict[str, Any]) -> None:
    """Write a file atomically, safe against power failure."""
    part = path.with_suffix(".part")
    try:
        with part.open("w") as file:
            json.dump(content, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        sync_folder(path.parent)
    finally:
        part.unlink(missing_ok=True)
