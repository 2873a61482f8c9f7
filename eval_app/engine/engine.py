"""The engine: jobs in, reports out. Thread-safe; builds run side by side, one job at a time has the device."""

from __future__ import annotations

import hashlib
import os
import queue
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from eval_app.engine import device as devices
from eval_app.engine import language, reporting, sandbox
from eval_app.engine.aftermath import Aftermath, Surroundings
from eval_app.engine.attempt import Attempt, Course
from eval_app.engine.build.request import BuildRequest
from eval_app.engine.build.toolchain import ToolchainMissingError
from eval_app.engine.builds import Builder, JobBuilds
from eval_app.engine.conclude import Conclusion, conclude
from eval_app.engine.contract import Job, Language, Outcome, Report
from eval_app.engine.host import HostLostError
from eval_app.engine.lane import Lane
from eval_app.engine.sampler import Sampler
from eval_app.engine.version import ENGINE_VERSION

_MAX_ROUNDS = 8
_MAX_SCOUTS = 3
_ADMISSIONS_KEPT = 2000
Stage = Callable[[str, str], None]


def _no_stage(stage: str, message: str) -> None:
    """Nobody listens."""


def _never() -> bool:
    return False


@dataclass(frozen=True)
class SelfTest:
    """Whether this engine can be trusted on this machine: each check with its evidence."""

    passed: bool
    checks: dict[str, str]


@dataclass
class Work:
    """One job on its way through the engine."""

    job: Job
    on_stage: Stage
    cancelled: Callable[[], bool]
    builds: JobBuilds
    started: float
    started_at: str
    waited_s: float = 0.0
    build_s: float = 0.0


class Engine:
    """Verifies jobs on one device; a context manager, because it owns processes."""

    def __init__(
        self, device: str = "auto", cache_dir: str | Path | None = None, build_jobs: int | None = None,
        sandbox: str = "bwrap",
    ) -> None:  # fmt: skip
        """Raises DeviceError or SandboxMissingError, with what to do, before anything starts."""
        if sandbox not in ("bwrap", "none"):
            raise ValueError("sandbox must be bwrap or none")
        self.device = devices.choose(device)
        self.sandbox = sandbox
        self._cache_dir = _cache_folder(cache_dir)
        self._parallel = build_jobs or max(2, len(os.sched_getaffinity(0)))
        self._free_scouts: queue.Queue[Lane] = queue.Queue()
        arch = str(self.device.facts.get("compute_capability", ""))
        self.builder = Builder(self._cache_dir, build_jobs, sandbox, arch)
        self._lane = Lane(self.device, sandbox, (self.builder.folder,))
        self._scouts = self._make_scouts()
        self._aftermath = Aftermath(self.device, self._cache_dir, sandbox, self.versions)
        self._admissions: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._admissions_lock = threading.Lock()
        self.noise = ""  # what the self-test saw where a busy host makes its times uncertain

    def __enter__(self) -> Self:
        """Start the lane; it gets ready in the background."""
        if self.sandbox == "bwrap":
            sandbox.check_available()
        for lane in (self._lane, *self._scouts):
            lane.start()
        for scout in self._scouts:
            self._free_scouts.put(scout)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all processes."""
        for lane in (self._lane, *self._scouts):
            lane.stop()

    def _make_scouts(self) -> list[Lane]:
        """Lanes without a GPU that find out what a candidate wants built; a CPU lane needs none."""
        if self.device.kind == "cpu":
            return []
        count = min(_MAX_SCOUTS, max(1, self._parallel // 4))
        return [Lane(devices.choose("cpu"), self.sandbox, (self.builder.folder,)) for _ in range(count)]

    def verify(self, job: Job, on_stage: Stage = _no_stage, cancelled: Callable[[], bool] = _never) -> Report:
        """Verify one job. Never raises for what a job holds; may be called from several threads at once."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        work = Work(job, on_stage, cancelled, JobBuilds(), time.monotonic(), now)
        try:
            return self._verify(work)
        except (HostLostError, ToolchainMissingError) as error:
            return self._report(work, Conclusion(Outcome.INFRA_ERROR, str(error)[:4000]), Course())

    def verify_many(self, jobs: Iterable[Job]) -> Iterator[Report]:
        """Reports as they are done, in no order; as many jobs under way as there are builders, and two."""
        stopped = threading.Event()
        pool = ThreadPoolExecutor(self._parallel + 2)
        running: set[Future[Report]] = set()
        try:
            for job in jobs:
                running.add(pool.submit(self.verify, job, cancelled=stopped.is_set))
                if len(running) >= self._parallel + 2:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:  # interrupted: what is under way is given up, not waited for
            stopped.set()
            pool.shutdown(cancel_futures=True)

    def describe(self) -> dict[str, Any]:
        """The device and the versions, for whoever chooses a worker."""
        self._lane.wait_ready()
        return {"device": dict(self.device.facts), "versions": self.versions(), "sandbox": self.sandbox}

    def versions(self) -> dict[str, str]:
        """Of the engine, torch, Python, CUDA, driver and compilers."""
        found = {"engine": ENGINE_VERSION, **self._lane.versions(), "driver": devices.driver_version()}
        try:
            toolchain = self.builder.toolchain()
            found |= {"gcc": toolchain.cxx_version, "nvcc": toolchain.nvcc_version}
        except ToolchainMissingError:
            found["gcc"] = ""
        return {name: text[:200] for name, text in found.items() if text}

    def selftest(self) -> SelfTest:
        """Known-good passes, known-bad is caught, A/A reads 1.00: the proof that a worker owes before any job."""
        from eval_app.engine.selftest import run

        result = run(self)
        self.noise = next((text for text in result.checks.values() if text.startswith("noisy")), "")
        return result

    def _verify(self, work: Work) -> Report:
        written_in = work.job.language
        if written_in is Language.AUTO:
            written_in = language.detect(work.job.candidate)
        if self.device.kind == "cpu" and language.needs_gpu(written_in):
            text = f"the candidate is written in {written_in} and needs an NVIDIA GPU; this engine runs on the CPU"
            return self._report(work, Conclusion(Outcome.UNSUPPORTED, text), Course())
        if self._scouts and written_in in (Language.CUDA, Language.CPP):
            unbuildable = self._scout(work)
            if unbuildable:
                return self._report(work, unbuildable, Course())
        for _ in range(_MAX_ROUNDS):
            course = self._attempt(work)
            if not course.needed:
                report = self._report(work, self._conclude(work, course), course)
                around = Surroundings(self._lane, work.builds, self.builder, work.on_stage, work.cancelled)
                return self._aftermath.add(report, work.job, course, around)
            self._build(work, course.needed)
            failure = work.builds.failure()
            if failure:
                return self._report(work, Conclusion(*failure), Course())
        text = f"the candidate still asked for builds after {_MAX_ROUNDS} rounds"
        return self._report(work, Conclusion(Outcome.BUILD_ERROR, text), Course())

    def _scout(self, work: Work) -> Conclusion | None:
        """Build all that shows without a GPU, so that none is held meanwhile; a failed build ends the job."""
        for _ in range(_MAX_ROUNDS):
            queued = time.monotonic()
            scout = self._free_scouts.get()
            work.waited_s += time.monotonic() - queued
            try:
                course = self._attempt_on(scout, work, {"scout": True})
            except HostLostError:
                scout.restart()
                return None
            finally:
                self._free_scouts.put(scout)
            if not course.needed:
                return None
            self._build(work, course.needed)
            failure = work.builds.failure()
            if failure:
                return Conclusion(*failure)
        return None

    def _conclude(self, work: Work, course: Course) -> Conclusion:
        """A candidate whose extension cannot be built is a build error, also where it falls back to torch."""
        conclusion = conclude(course)
        failure = work.builds.failure()
        reference_is_at_fault = conclusion.outcome is Outcome.INVALID_REFERENCE
        return Conclusion(*failure) if failure and not reference_is_at_fault else conclusion

    def _attempt(self, work: Work) -> Course:
        """One attempt; once more with new zygotes where the lane broke."""
        queued = time.monotonic()
        with self._lane.lock:
            work.waited_s += time.monotonic() - queued
            work.on_stage("load", "")
            try:
                return self._attempt_on_lane(work)
            except HostLostError:
                self._lane.restart()
                return self._attempt_on_lane(work)

    def _attempt_on_lane(self, work: Work) -> Course:
        facts = {"admission": self._known_admission(work.job), "inspect": work.job.inspect}
        course = self._attempt_on(self._lane, work, facts)
        course.peaks = self._aftermath.peaks(self._lane, course)
        self._keep_admission(work.job, course)
        return course

    def _attempt_on(self, lane: Lane, work: Work, facts: dict[str, Any]) -> Course:
        lane.wait_ready()
        with Sampler.of(lane.device, work.on_stage) as sampler:
            course = Attempt(
                work.job, lane.judge, lane.runner, facts=lane.facts() | facts, on_stage=sampler.on_stage,
                cancelled=work.cancelled, resolve=lambda request: self.builder.resolve(request, work.builds),
            ).run()  # fmt: skip
        course.samples = sampler.samples
        return course

    def _build(self, work: Work, needed: list[BuildRequest]) -> None:
        started = time.monotonic()
        for request in needed:
            work.on_stage("build", request.name)
            self.builder.build(request, work.builds, work.job.profile.build_timeout_s, work.cancelled)
        work.build_s += time.monotonic() - started

    def _known_admission(self, job: Job) -> dict[str, Any]:
        with self._admissions_lock:
            return self._admissions.get(_digest(job), {})

    def _keep_admission(self, job: Job, course: Course) -> None:
        answers = (course.verdict or {}).get("admission")
        if isinstance(answers, dict) and answers:
            with self._admissions_lock:
                self._admissions[_digest(job)] = {
                    "answers": answers, "findings": [
                        f for f in (course.verdict or {}).get("findings", [])
                        if isinstance(f, dict) and f.get("code") in reporting.TASK_FINDINGS
                    ],
                }  # fmt: skip
                while len(self._admissions) > _ADMISSIONS_KEPT:
                    self._admissions.popitem(last=False)

    def _report(self, work: Work, conclusion: Conclusion, course: Course) -> Report:
        known = self._known_admission(work.job)
        return reporting.report(
            work.job, conclusion, course, known=known, build=work.builds.info(), started_at=work.started_at,
            device=self.device, versions=self.versions(), sandbox=self.sandbox,
            total_s=time.monotonic() - work.started - work.waited_s, build_s=work.build_s, waited_s=work.waited_s,
            noise=self.noise,
        )  # fmt: skip


def _digest(job: Job) -> str:
    return hashlib.sha256(f"{job.profile.name}\n{job.reference}".encode("utf-8", "replace")).hexdigest()


def _cache_folder(given: str | Path | None) -> Path:
    data = os.environ.get("CONCUR_DATA_DIR")
    chosen = (
        Path(given)
        if given
        else Path(data) / "builds"
        if data
        else Path(tempfile.gettempdir()) / "concur-builds"
    )
    chosen.mkdir(parents=True, exist_ok=True)
    return chosen.resolve()
