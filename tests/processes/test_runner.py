"""Tests that background jobs only wait for others of their own kind."""

import threading
from queue import Queue

import datasets_app.tasks  # noqa: F401  (registers the kinds of jobs)
from datasets_app.processes.kinds import KINDS
from datasets_app.processes.runner import JobRunner


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
