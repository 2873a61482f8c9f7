"""The outbox of a worker: finished reports, kept on disk until the broker has accepted them."""

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eval_app.host.assignment import Assignment
from eval_app.host.site_channel import SiteChannel, persist

log = logging.getLogger(__name__)


class Outbox:
    """Reports on their way: on disk until the broker has them, so that neither it nor we may crash them away."""

    def __init__(self, folder: Path, channel: SiteChannel, stopping: Callable[[], bool]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.channel = channel
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
        sent = persist(lambda: self.channel.report(**letter), f"the report {path.stem}", self.stopping)
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
