"""The engine: jobs in, reports out. Thread-safe; builds run in parallel, each lane runs one job at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from eval_app.engine.build import slots
from eval_app.engine.build.toolchain import ToolchainMissingError
from eval_app.engine.contract.jobs import Job, Report
from eval_app.engine.contract.version import ENGINE_VERSION
from eval_app.engine.hardware import device as devices
from eval_app.engine.hardware.device import Device
from eval_app.engine.orchestrator import selftest
from eval_app.engine.orchestrator.builds import Builder
from eval_app.engine.orchestrator.lane import Lane
from eval_app.engine.orchestrator.lanes import BROKEN, Lanes
from eval_app.engine.orchestrator.post_verdict import PostVerdict
from eval_app.engine.orchestrator.scouts import Scouts
from eval_app.engine.orchestrator.selftest import SelfTest
from eval_app.engine.orchestrator.task_store import TaskStores
from eval_app.engine.orchestrator.verification import Parts, Stage, Verification, never, no_stage
from eval_app.engine.sandbox import bubblewrap as sandbox
from eval_app.engine.sandbox import privileges

# Jobs in progress beyond those that compilers work for: being read, scouted, or waiting for a lane.
_AHEAD = 2
MAX_CPU_LANES = 64
# Beyond what candidates may have in transit, which counts against this process where the worker is not root.
_OPEN_FILES = 2**16


class Engine:
    """Verifies jobs on one or several identical devices; a context manager, because it owns processes."""

    def __init__(
        self, device: str, cache_dir: str | Path, build_jobs: int | None = None,
        sandbox: str = "bwrap", lanes: int = 1, room: slots.Slots | None = None,
    ) -> None:  # fmt: skip
        """Choose the devices: "cpu", "cuda:0", several with commas, "all" or "auto"; each GPU has one lane,
        the CPU `lanes`. Built extensions are kept in `cache_dir`, which is created if it is missing.

        `room` for compilers can be shared with another engine. Raises DeviceError or SandboxMissingError,
        with advice, before anything starts.
        """
        if sandbox not in ("bwrap", "none"):
            raise ValueError("sandbox must be bwrap or none")
        self.devices = devices.choose_all(device)
        self.sandbox = sandbox
        folder = Path(cache_dir).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        self._parallel = build_jobs or max(2, slots.cores())
        self.builder = Builder(folder, room or slots.room(build_jobs), sandbox, _arch(self.devices))
        readable = (self.builder.folder,)
        self.lanes = Lanes(_make_lanes(self.devices, lanes, sandbox, readable), self._retest)
        self.scouts = Scouts(self.device, sandbox, readable, self._parallel)
        self.noise: dict[str, str] = {}
        stores = TaskStores(folder, self.versions)
        self._parts = Parts(
            self.devices,
            self.lanes,
            self.scouts,
            self.builder,
            stores,
            self.versions,
            self.noise,
            sandbox,
            PostVerdict(stores, self.builder, sandbox),
        )

    @property
    def device(self) -> Device:
        """Return the first device; the others are of the same kind."""
        return self.devices[0]

    def __enter__(self) -> Self:
        """Start the lanes; they become ready in the background."""
        privileges.raise_open_files(_OPEN_FILES)
        if self.sandbox == "bwrap":
            sandbox.check_available()
        self.lanes.start()
        self.scouts.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all processes."""
        self.stop()

    def stop(self) -> None:
        """End all processes; jobs in progress fail at once."""
        self.builder.stop()
        self.lanes.stop()
        self.scouts.stop()

    def verify(
        self,
        job: Job,
        on_stage: Stage = no_stage,
        cancelled: Callable[[], bool] = never,
        only: Lane | None = None,
    ) -> Report:
        """Verify one job. Never raises for the contents of a job; may be called from several threads at once.

        `only` is a lane that the caller holds (`lanes.hold`): the job runs there.
        """
        return Verification(self._parts, job, on_stage, cancelled, only).run()

    def verify_many(self, jobs: Iterable[Job]) -> Iterator[Report]:
        """Yield reports as they are finished, in any order, with enough jobs in progress to keep lanes and
        builders busy."""
        stopped = threading.Event()
        at_once = self._parallel + len(self.lanes.all) + _AHEAD
        pool = ThreadPoolExecutor(at_once)
        running: set[Future[Report]] = set()
        try:
            for job in jobs:
                running.add(pool.submit(self.verify, job, cancelled=stopped.is_set))
                if len(running) >= at_once:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:  # interrupted: jobs in progress are abandoned, not awaited
            stopped.set()
            pool.shutdown(cancel_futures=True)

    def describe(self) -> dict[str, Any]:
        """Return the devices, the state of their lanes, and the versions."""
        self.lanes.all[0].wait_ready()
        return {
            "device": dict(self.device.facts), "devices": self.health(), "versions": self.versions(),
            "sandbox": self.sandbox,
        }  # fmt: skip

    def health(self) -> list[dict[str, Any]]:
        """Return the facts of each lane's device with `lane`, `state`, `detail` and `restarts`."""
        return [
            dict(lane.device.facts) | {"lane": lane.name} | asdict(self.lanes.health[lane.name])
            for lane in self.lanes.all
        ]

    def works(self) -> bool:
        """Return whether any lane accepts jobs, now or after its self-test."""
        return any(health.state != BROKEN for health in self.lanes.health.values())

    def versions(self) -> dict[str, str]:
        """Return the versions of engine, torch, Python, CUDA, driver and compilers."""
        texts = {"engine": ENGINE_VERSION, **self.lanes.all[0].versions(), "driver": devices.driver_version()}
        try:
            toolchain = self.builder.toolchain()
            texts |= {"gcc": toolchain.cxx_version, "nvcc": toolchain.nvcc_version}
        except ToolchainMissingError:
            texts["gcc"] = ""
        return {name: text[:200] for name, text in texts.items() if text}

    def selftest(self) -> SelfTest:
        """Check on every lane that correct kernels pass, wrong ones are caught and A/A timing reads 1.00."""
        return selftest.run(self)

    def _retest(self, lane: Lane) -> str:
        """Run the short self-test on a lane after a fault; return what failed, empty if nothing did."""
        return selftest.retest(self, lane)


def _make_lanes(devices_: list[Device], count: int, kind: str, readable: tuple[str, ...]) -> list[Lane]:
    if count < 1 or count > MAX_CPU_LANES:
        raise devices.DeviceError(f"the number of lanes must be from 1 to {MAX_CPU_LANES}")
    if count > 1 and devices_[0].kind != "cpu":
        text = "a GPU has one lane, because two would disturb each other's timing; --lanes is for the CPU"
        raise devices.DeviceError(text)
    return [
        Lane(device, kind, readable, number, beside=count > 1)
        for device in devices_
        for number in range(count)
    ]


def _arch(chosen: list[Device]) -> str:
    """Return the compute capability to build for, empty on a CPU. Raises DeviceError if the devices differ."""
    archs = {str(device.facts.get("compute_capability", "")) for device in chosen}
    if len(archs) > 1:
        raise devices.DeviceError(
            f"these GPUs differ in compute capability ({', '.join(sorted(archs))}), and extensions built for "
            "one do not run on another: start one engine for each kind"
        )
    return archs.pop()
