"""Tests of the site's worker as it stops."""

import threading
import time

from celery import signals

from eval_app.site_worker import main


class SlowInbox(threading.Thread):
    """Has popped a message as the worker is told to stop, and takes a moment to store it."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.ended, self.stored = threading.Event(), False

    def run(self) -> None:
        self.ended.wait(10)
        time.sleep(0.3)
        self.stored = True


def test_a_report_that_is_being_stored_as_the_worker_stops_is_stored(monkeypatch):
    inbox = SlowInbox()
    for name in ("Sweeper", "StallGuard", "JobRunner"):
        monkeypatch.setattr(main, name, lambda *_: Idle())
    monkeypatch.setattr(main, "Inbox", lambda: inbox)
    monkeypatch.setattr(main.counters, "share", lambda name: None)
    monkeypatch.setattr(main, "end_in_time", lambda: None)
    for signal in (signals.worker_ready, signals.worker_shutting_down, signals.setup_logging):
        monkeypatch.setattr(signal, "receivers", [])

    def run_worker(*_):
        signals.worker_ready.send(sender=None)
        signals.worker_shutting_down.send(sender=None)

    monkeypatch.setattr(main, "run_worker", run_worker)
    main.run()
    assert inbox.stored


class Idle:
    """Stands for the parts that have nothing to do."""

    def __init__(self) -> None:
        self.ended = threading.Event()

    def start(self) -> None: ...

    def stop(self) -> None: ...
