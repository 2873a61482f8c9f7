"""Runs all checks, each in its own thread: a database or broker that hangs costs at most the deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connections
from django.utils.crypto import salted_hmac

from concur_site.health import checks
from concur_site.health.part import Part, Status

DEADLINE_SECONDS = 1.5
KEPT_SECONDS = 1.0
NEEDED = ("database", "disk")  # without these the site cannot serve or store
READY = (*NEEDED, "tables")


class Probe:
    """One check: at most one thread runs it at a time, and its result is reused for a second."""

    def __init__(self, name: str, check: Callable[[], Part]) -> None:
        self.name, self.check = name, check
        self._lock = threading.Lock()
        self._done: threading.Event | None = None
        self._part = Part()
        self._asked_at = float("-inf")

    def start(self) -> threading.Event:
        """Run the check unless it is running or its result is fresh. Return the event that announces the result."""
        with self._lock:
            is_fresh = time.monotonic() - self._asked_at < KEPT_SECONDS
            if self._done is None or (self._done.is_set() and not is_fresh):
                self._done = threading.Event()
                threading.Thread(target=self._run, args=(self._done,), name=self.name, daemon=True).start()
            return self._done

    def answer(self, done: threading.Event, within_seconds: float) -> Part:
        if done.wait(max(0.0, within_seconds)):
            return self._part
        return self.trouble(f"The {self.name} check did not end in time.")

    def trouble(self, sentence: str, detail: str = "") -> Part:
        status = Status.FAILED if self.name in READY else Status.DEGRADED
        return Part(status, sentence, detail=detail)

    def _run(self, done: threading.Event) -> None:
        try:
            self._part = self.check()
        except Exception as error:
            self._part = self.trouble(f"The {self.name} check failed.", repr(error))
        finally:
            connections.close_all()  # this thread's own
            self._asked_at = time.monotonic()
            done.set()


def fresh_probes() -> dict[str, Probe]:
    check_by_name = {
        "database": checks.database,
        "broker": checks.broker,
        "disk": checks.disk,
        "workers": checks.workers,
    }
    return {name: Probe(name, check) for name, check in check_by_name.items()}


probes = fresh_probes()
tables_probe = Probe("tables", checks.tables)


@dataclass(frozen=True)
class Report:
    parts: dict[str, Part]

    @property
    def status(self) -> Status:
        statuses = {part.status for part in self.parts.values()}
        return next((status for status in (Status.FAILED, Status.DEGRADED) if status in statuses), Status.OK)

    @property
    def troubles(self) -> dict[str, Part]:
        return {name: part for name, part in self.parts.items() if part.status != Status.OK}

    def as_json(self, with_detail: bool) -> dict[str, Any]:
        parts = {name: part.as_json(with_detail) for name, part in self.parts.items()}
        return {"status": self.status, "site": signature(), **parts}


def current(within_seconds: float | None = None) -> Report:
    """Return the results of all checks, at most a second old. `doctor` allows more time than a page."""
    return answers_of(probes, within_seconds or DEADLINE_SECONDS)


def ready() -> Report:
    """Return whether this process can answer requests: database, tables and disk, at most a second old."""
    needed = {name: probes[name] for name in NEEDED}
    return answers_of({**needed, "tables": tables_probe}, DEADLINE_SECONDS)


def answers_of(asked: dict[str, Probe], within_seconds: float) -> Report:
    """Start all of these probes at once and wait for each until the deadline."""
    deadline = time.monotonic() + within_seconds
    started = {name: probe.start() for name, probe in asked.items()}
    return Report(
        {name: asked[name].answer(done, deadline - time.monotonic()) for name, done in started.items()}
    )


def signature() -> str:
    """Return an id that all processes of one site share, derived from its secret key without revealing it."""
    return f"concur-workbench {salted_hmac('concur_site.health', 'signature').hexdigest()[:16]}"
