"""The engine on this machine's devices: one lane per GPU and one for the CPU, with parallel builds."""

import glob
import logging
import os
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from eval_app.engine import ENGINE_VERSION, Engine, Job
from eval_app.engine.build import slots
from eval_app.engine.hardware.device import gpu_count
from eval_app.host.assignment import Assignment

log = logging.getLogger(__name__)
SANDBOX = "bwrap"
MAX_BUILD_JOBS = 16
PROBE_SECONDS = 1.0


class EngineBench:
    """The worker's engines, one for all GPUs and one for the CPU, with shared slots for compilers.

    Devices are found in /dev: this process never imports torch.
    """

    def __init__(self, folder: Path, build_jobs: int = 0) -> None:
        """Find the devices. `build_jobs` is the number of parallel compilers; 0: one per core, from 2 to
        MAX_BUILD_JOBS. Raises DeviceError if CUDA_VISIBLE_DEVICES names no GPU."""
        self.cache = folder / "build-cache"
        self.devices = [*gpu_names(), "cpu"]
        self.kinds = sorted({name.partition(":")[0] for name in self.devices}, reverse=True)
        self.build_jobs = build_jobs or cores()
        # One job per lane and one per compiler: jobs that wait for a build hold no lane.
        self.lanes = len(self.devices) + self.build_jobs
        self._engines: dict[str, Engine] = {}
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._versions: dict[str, str] = {"engine": ENGINE_VERSION}

    def run_selftest(self) -> tuple[bool, str]:
        """Open an engine per kind of device and run its self-test on every lane. A second call starts again."""
        self.close()
        room, texts = slots.room(self.build_jobs), []
        for kind in self.kinds:
            try:
                passed, text = self._test(kind, room)
            except (ValueError, RuntimeError, OSError) as error:  # no sandbox, no compiler, or a lost lane
                passed, text = False, str(error)
            texts.append(f"{kind}: {text}")
            if not passed:
                self.close()
                return False, texts[-1]
        return True, "; ".join(texts)

    def _test(self, kind: str, room: slots.Slots) -> tuple[bool, str]:
        device = "cpu" if kind == "cpu" else ",".join(gpu_names())
        engine = self._stack.enter_context(Engine(device, self.cache, self.build_jobs, SANDBOX, room=room))
        result = engine.selftest()
        if not result.passed:
            return False, "; ".join(f"{name}: {text}" for name, text in result.checks.items())
        self._versions = engine.versions()
        with self._lock:
            self._engines[kind] = engine
        noise = "".join(f", {text}" for text in engine.noise.values())
        return True, f"{len(result.checks)} checks passed{noise}"

    def describe(self) -> dict[str, Any]:
        """Return every device with the state of its lane. Does not wait for lanes, because announcements must not."""
        with self._lock:
            engines = list(self._engines.values())
        devices = [lane for engine in engines for lane in engine.health()]
        testing = [
            {"kind": name.partition(":")[0], "name": name, "state": "testing"} for name in self.devices
        ]
        return {"devices": devices or testing, "versions": self._versions, "sandbox": SANDBOX}

    def verify(self, assignment: Assignment) -> dict[str, Any] | None:
        """Return the report of one assignment, run on a free lane of its kind; None if it was cancelled."""
        job = Job.from_dict(assignment.job)
        engine = self._engines[assignment.device]
        while not engine.works():  # all lanes fail their self-test: the job waits
            assignment.enter("waiting", "; ".join(lane["detail"] for lane in engine.health()))
            if assignment.cancelled.wait(PROBE_SECONDS):
                return None
        report = engine.verify(job, assignment.enter, assignment.cancelled.is_set)
        return None if assignment.cancelled.is_set() else report.to_dict()

    def close(self) -> None:
        """Close all engines."""
        with self._lock:
            self._engines.clear()
        self._stack.close()


def gpu_names() -> list[str]:
    """Return cuda:0, cuda:1 ...: one per NVIDIA device file, or per GPU that CUDA_VISIBLE_DEVICES names.

    A file without a driver counts, so that the self-test says what is missing. Raises DeviceError for a name of no GPU.
    """
    named = "CUDA_VISIBLE_DEVICES" in os.environ
    return [f"cuda:{n}" for n in range(gpu_count() if named else len(glob.glob("/dev/nvidia[0-9]*")))]


def cores() -> int:
    """Return the cores of this process, at least 2 and at most MAX_BUILD_JOBS."""
    return max(2, min(len(os.sched_getaffinity(0)), MAX_BUILD_JOBS))
