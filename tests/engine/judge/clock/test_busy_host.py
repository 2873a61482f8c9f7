"""Tests that a busy host is not taken for a false clock: processor time separates load from hidden work."""

import os
import shutil
import signal
import threading
import time
from dataclasses import replace

import pytest

pytest.importorskip("torch")

from eval_app.engine import Outcome
from eval_app.engine.sandbox import process_tree
from tests.engine.orchestrator.test_engine import FAST
from tests.engine.orchestrator.test_engine import job as plain_job

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(shutil.which("bwrap") is None or os.getuid() != 0, reason="needs bubblewrap and root"),
]
REFERENCE = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x), 3
def get_inputs():
    return [torch.randn(64, 64)]
"""
HONEST = REFERENCE.replace("Model(", "ModelNew(")
HELD_S, FREE_S = 0.004, 0.0005
LEAN = replace(
    FAST, name="lean", trials=1, repeats=1, families=[], admission=False, reweigh=False, warmup_calls=2, warmup_s=0.0,
    timings_max=5, load_timeout_s=60.0, first_call_timeout_s=60.0, call_timeout_s=60.0, total_timeout_s=240.0,
)  # fmt: skip


def job(**options):
    return plain_job(profile=LEAN, **options)


class Neighbour(threading.Thread):
    """Suspends the candidate most of the time, like a host with ten times its load, except while the judge holds it:
    to continue it then would give it an order before its values."""

    def __init__(self, host):
        super().__init__(daemon=True)
        self._host, self.over = host, threading.Event()
        self._lock, self._held, self._freeze = threading.Lock(), False, host.freeze
        host.freeze = self._by_the_judge

    def _by_the_judge(self, *, frozen):
        with self._lock:
            self._held = frozen
            return self._freeze(frozen=frozen)

    def run(self):
        while not self.over.is_set():
            for number, pause_s in ((signal.SIGSTOP, HELD_S), (signal.SIGCONT, FREE_S)):
                with self._lock:
                    for pid in () if self._held else process_tree.descendants(self._host.pid):
                        with_no_such_process_left(os.kill, pid, number)
                time.sleep(pause_s)


def with_no_such_process_left(act, *arguments):
    try:
        act(*arguments)
    except ProcessLookupError:
        return


def verify_beside_a_neighbour(engine, candidate, reference=REFERENCE):
    neighbour = Neighbour(engine.lanes.all[0].runner)

    def look(stage, text):
        if stage == "timing":
            neighbour.start()

    try:
        return engine.verify(job(reference=reference, candidate=candidate), look)
    finally:
        neighbour.over.set()
        neighbour.join()


def test_an_honest_kernel_beside_a_neighbour_passes_whether_its_time_is_confirmed_or_not(engine):
    report = verify_beside_a_neighbour(engine, HONEST)
    assert report.outcome is Outcome.PASSED, report.detail
    assert bool(report.timing.confirmed_by) != bool(report.timing.unconfirmed)
