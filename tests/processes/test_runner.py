"""Tests that background jobs only wait for others of their own kind, and which rows a dead child gives back."""

import signal
import threading
from queue import Queue
from types import SimpleNamespace

import pytest
from django.utils import timezone

import datasets_app.tasks  # noqa: F401  (registers the kinds of jobs)
from datasets_app.models import Release
from datasets_app.processes import runner
from datasets_app.processes.kinds import KINDS
from datasets_app.processes.runner import JobRunner, Watch


def test_an_export_does_not_wait_for_the_index_of_similar_kernels(monkeypatch):
    release, ended = threading.Event(), Queue()

    def run_one(self, kind, pk):
        if kind == "maintenance":
            release.wait(30)
        ended.put((kind, pk))

    monkeypatch.setattr(JobRunner, "run_one", run_one)
    runner = JobRunner()
    held = [f"index {number}" for number in range(KINDS["maintenance"].slots + 1)]
    for pk in held:
        runner.submit("maintenance", pk)
    runner.submit("bulk", "export")
    assert ended.get(timeout=10) == ("bulk", "export")
    release.set()
    assert {ended.get(timeout=10) for _ in held} == {("maintenance", pk) for pk in held}


@pytest.mark.django_db(transaction=True)  # old connections are closed
@pytest.mark.parametrize(("unwanted_since", "state"), [(0.0, "queued"), (1.0, "running")])
def test_a_killed_child_gives_its_row_back_unless_another_worker_took_it(monkeypatch, unwanted_since, state):
    row = Release.objects.create(name="r", recipe_name="concur", definition={}, state="running", attempt=2)
    killed = SimpleNamespace(start=lambda: None, join=lambda: None, sentinel=None, exitcode=-9)
    monkeypatch.setattr(runner, "context", lambda: SimpleNamespace(Process=lambda **_: killed))
    monkeypatch.setattr(Watch, "until_it_ends", lambda self: setattr(self, "unwanted_since", unwanted_since))
    JobRunner().run_one("freeze", str(row.pk))
    row.refresh_from_db()
    assert row.state == state


@pytest.mark.django_db(transaction=True)  # old connections are closed
@pytest.mark.parametrize(("state", "ending"), [("done", []), ("failed", [signal.SIGKILL])])
def test_a_child_whose_row_is_done_has_time_for_what_follows(monkeypatch, state, ending):
    """A release's card and lists of hashes are written after the row of its last file is done."""
    row = Release.objects.create(name="r", recipe_name="concur", definition={}, state="running", attempt=1)
    child = SimpleNamespace(sentinel=None)
    watch, rows = Watch(Release, str(row.pk), child, threading.Event()), Release.objects.filter(pk=row.pk)
    signals, looks = [], []

    def look(*_, **__):
        if len(looks) == 1:
            rows.update(state=state, finished_at=timezone.now(), content_sha256="0" * 64)
        looks.append(None)
        return len(looks) > 4 or bool(signals)

    monkeypatch.setattr(runner, "wait", look)
    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=lambda: 10.0 * len(looks)))
    monkeypatch.setattr(Watch, "signal", lambda self, number: signals.append(number))
    watch.until_it_ends()
    assert signals == ending
