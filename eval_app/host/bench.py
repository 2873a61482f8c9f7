"""The engine on this machine's devices: one lane a GPU and one for the CPU, builds side by side."""

import glob
import logging
import os
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval_app.engine import ENGINE_VERSION, Engine, Job
from eval_app.host.assignment import Assignment

log = logging.getLogger(__name__)
SANDBOX = "bwrap"
MAX_BUILD_JOBS = 16


@dataclass
class Lane:
    """One engine on one device, and how many assignments it has."""

    device: str
    engine: Engine
    load: int = 0

    @property
    def kind(self) -> str:
        return self.device.partition(":")[0]


class EngineBench:
    """What the worker verifies with. Devices are told from /dev: this process never imports torch."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "build-cache"
        self.devices = [*gpu_names(), "cpu"]
        self.kinds = sorted({name.partition(":")[0] for name in self.devices}, reverse=True)
        self.build_jobs = build_jobs()
        self.lanes = len(self.devices) + self.build_jobs
        self._lanes: list[Lane] = []
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._facts: dict[str, Any] = {
            "devices": [{"kind": name.partition(":")[0], "name": name} for name in self.devices],
            "versions": {"engine": ENGINE_VERSION},
            "sandbox": SANDBOX,
        }

    def prove(self) -> tuple[bool, str]:
        """Open an engine a device and run each one's self-test. A second call starts anew."""
        self.close()
        said = []
        for device in self.devices:
            try:
                passed, text = self._prove(device)
            except (ValueError, RuntimeError, OSError) as error:  # no sandbox, no compiler, a lane that dies
                passed, text = False, str(error)
            said.append(f"{device}: {text}")
            if not passed:
                self.close()
                return False, said[-1]
        return True, "; ".join(said)

    def _prove(self, device: str) -> tuple[bool, str]:
        engine = self._stack.enter_context(Engine(device, self.cache, self.build_jobs, SANDBOX))
        result = engine.selftest()
        if not result.passed:
            return False, "; ".join(f"{name}: {text}" for name, text in result.checks.items())
        self._lanes.append(Lane(device, engine))
        self._note(engine.describe())
        return True, f"{len(result.checks)} checks passed" + (f", {engine.noise}" if engine.noise else "")

    def _note(self, found: dict[str, Any]) -> None:
        """Keep what a lane says of itself: announcing must not wait for a lane."""
        devices = [lane.engine.device.facts for lane in self._lanes]
        self._facts = {
            "devices": [dict(facts) for facts in devices],
            "versions": found["versions"],
            "sandbox": found["sandbox"],
        }

    def describe(self) -> dict[str, Any]:
        return self._facts

    def verify(self, assignment: Assignment) -> dict[str, Any] | None:
        """The report of one assignment on the least busy lane of its kind; None if it was cancelled on the way."""
        job = Job.from_dict(assignment.job)
        lane = self._choose(assignment.device)
        try:
            report = lane.engine.verify(job, assignment.enter, assignment.cancelled.is_set)
        finally:
            with self._lock:
                lane.load -= 1
        return None if assignment.cancelled.is_set() else report.to_dict()

    def _choose(self, kind: str) -> Lane:
        with self._lock:
            lane = min((lane for lane in self._lanes if lane.kind == kind), key=lambda lane: lane.load)
            lane.load += 1
        return lane

    def close(self) -> None:
        self._stack.close()
        self._lanes.clear()


def gpu_names() -> list[str]:
    """cuda:0, cuda:1 ...: one for each NVIDIA device file."""
    return [f"cuda:{number}" for number in range(len(glob.glob("/dev/nvidia[0-9]*")))]


def build_jobs() -> int:
    """CONCUR_BUILD_JOBS, else a compiler a core."""
    word = os.environ.get("CONCUR_BUILD_JOBS", "").strip()
    given = int(word) if word.isascii() and word.isdigit() else 0
    return given or max(2, min(len(os.sched_getaffinity(0)), MAX_BUILD_JOBS))
