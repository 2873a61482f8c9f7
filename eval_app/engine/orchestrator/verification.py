"""The stages of one job: scout, build, attempt on a lane, classification, report."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from eval_app.engine.build.request import BuildRequest
from eval_app.engine.build.toolchain import ToolchainMissingError
from eval_app.engine.contract.jobs import Job, Language, Outcome, Report
from eval_app.engine.hardware.device import Device
from eval_app.engine.hardware.telemetry import Sampler
from eval_app.engine.labels import language
from eval_app.engine.orchestrator import admissions, order_cost, report, source_lines, traces
from eval_app.engine.orchestrator.attempt import Attempt
from eval_app.engine.orchestrator.attempt_trace import AttemptTrace
from eval_app.engine.orchestrator.builds import Builder, JobBuilds
from eval_app.engine.orchestrator.classify_outcome import (
    Conclusion,
    classify_outcome,
    device_fault,
    found_others_at_work,
    lost_its_context,
    may_be_crowded_out,
    ran_out_of_memory,
)
from eval_app.engine.orchestrator.lane import Lane
from eval_app.engine.orchestrator.lanes import CancelledWaitError, Lanes
from eval_app.engine.orchestrator.post_verdict import JobContext, PostVerdict
from eval_app.engine.orchestrator.scouts import Scouts
from eval_app.engine.orchestrator.task_store import TaskStores
from eval_app.engine.sandbox.zygote_host import HostLostError

_log = logging.getLogger(__name__)
_MAX_ROUNDS = 8
# A job that breaks its lane this often gets no verdict: the fault is taken to be the engine's.
_MAX_LOSSES = 2
Stage = Callable[[str, str], None]


def no_stage(stage: str, message: str) -> None:
    """Ignore the stage: default callback."""


def never() -> bool:
    """Never cancel: default callback."""
    return False


@dataclass(frozen=True)
class Parts:
    """The parts of an engine that its jobs share."""

    devices: list[Device]
    lanes: Lanes
    scouts: Scouts
    builder: Builder
    stores: TaskStores
    versions: Callable[[], dict[str, str]]
    # By lane name: the self-test's result if a busy host makes its timing uncertain.
    noise: dict[str, str]
    sandbox: str
    post_verdict: PostVerdict


class Verification:
    """One job in progress. `only` is the lane to run on, held by the caller."""

    def __init__(
        self, parts: Parts, job: Job, on_stage: Stage = no_stage, cancelled: Callable[[], bool] = never,
        only: Lane | None = None,
    ) -> None:  # fmt: skip
        """Store the job; `run` starts it."""
        self._parts, self._job, self._on_stage, self._cancelled, self._only = (
            parts,
            job,
            on_stage,
            cancelled,
            only,
        )
        self._builds = JobBuilds()
        self._device, self._noise = (only.device if only else parts.devices[0]), ""
        self._losses: list[str] = []
        # What earlier jobs say about the task.
        self._earlier: dict[str, Any] = {}
        # Whether it ran out of memory beside the remains of another job: the next attempt waits for their
        # cleanup.
        self._needs_idle_lane = False
        # Whether its reference failed for what may be the candidate's doing: the next attempt loads that later.
        self._reference_first = False
        # Whether its reference ended the GPU's context on others: the next attempt keeps to the task's own values.
        self._own_values = False
        # Whether others were seen at work on its device: the next attempt looks for nobody, and confirms no time.
        self._shared = False
        self._final_report: Report | None = None
        self._started, self._started_at = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
        self._waited_s = self._build_s = 0.0

    def run(self) -> Report:
        """Return the report. Never raises for the contents of a job."""
        try:
            return self._run()
        except CancelledWaitError:
            return self._report(Conclusion(Outcome.INFRA_ERROR, "cancelled"), AttemptTrace())
        except (HostLostError, ToolchainMissingError) as error:
            return self._report(Conclusion(Outcome.INFRA_ERROR, str(error)[:4000]), AttemptTrace())
        except Exception as error:  # the engine's own, such as a full disk: one job must not end a batch
            _log.exception("job %r", self._job.id)
            text = f"the engine failed: {type(error).__name__}: {error}"
            return self._report(Conclusion(Outcome.INFRA_ERROR, text[:4000]), AttemptTrace())

    def _run(self) -> Report:
        written_in = self._job.language
        if written_in is Language.AUTO:
            written_in = language.detect(self._job.candidate)
        if why := language.unsupported(written_in):
            return self._report(Conclusion(Outcome.UNSUPPORTED, why), AttemptTrace())
        if "Model" not in self._job.reference:
            text = "the reference program defines no class Model"
            return self._report(Conclusion(Outcome.INVALID_REFERENCE, text), AttemptTrace())
        if self._device.kind == "cpu" and language.needs_gpu(written_in):
            text = f"the candidate is written in {written_in} and needs an NVIDIA GPU; this engine runs on the CPU"
            return self._report(Conclusion(Outcome.UNSUPPORTED, text), AttemptTrace())
        if written_in in (Language.CUDA, Language.CPP):
            unbuildable = self._scout()
            if unbuildable:
                return self._report(unbuildable, AttemptTrace())
        held_s = 0.0
        for _ in range(_MAX_ROUNDS):
            attempt, conclusion = self._try()
            if not attempt.needed:
                return self._with_source_lines(
                    self._final_report or self._report(conclusion, attempt), attempt
                )
            held_s += sum(attempt.stages.values())
            failed = self._out_of_time(held_s) or self._build(attempt.needed)
            if failed:
                return self._report(failed, attempt)
        text = f"the candidate still requested builds after {_MAX_ROUNDS} rounds"
        return self._report(Conclusion(Outcome.BUILD_ERROR, text), AttemptTrace())

    def _out_of_time(self, held_s: float) -> Conclusion | None:
        """Return a conclusion if attempts that asked for builds have held lanes for as long as a job may."""
        limit_s = self._job.profile.total_timeout_s
        if held_s <= limit_s:
            return None
        text = f"the candidate still requested builds after {held_s:.0f} s on a lane; a job may take {limit_s:g} s"
        return Conclusion(Outcome.TIMEOUT, text)

    def _scout(self) -> Conclusion | None:
        """Build everything that can be found without a GPU, so that none is held meanwhile; a failed build
        ends the job."""
        for _ in range(_MAX_ROUNDS if self._parts.scouts.lanes else 0):
            attempt, waited_s = self._parts.scouts.ask(self._attempt_on)
            self._waited_s += waited_s
            failed = self._build(attempt.needed) if attempt else None
            if failed or attempt is None or not attempt.needed:
                return failed
        return None

    def _build(self, needed: list[BuildRequest]) -> Conclusion | None:
        """Build the requests; return a conclusion if any build of the job has failed."""
        started = time.monotonic()
        for request in needed:
            self._on_stage("build", request.name)
            timeout_s = self._job.profile.build_timeout_s
            self._parts.builder.build(request, self._builds, timeout_s, self._cancelled)
        self._build_s += time.monotonic() - started
        failure = self._builds.failure()
        return Conclusion(*failure) if failure else None

    def _try(self) -> tuple[AttemptTrace, Conclusion]:
        """Run one attempt; repeat on another or a renewed lane if the lane breaks."""
        while True:
            queued = time.monotonic()
            lane = self._only or self._parts.lanes.take(self._cancelled)
            self._waited_s += time.monotonic() - queued
            self._device, self._noise = lane.device, self._parts.noise.get(lane.name, "")
            self._on_stage("load", lane.name)
            fault = "its job did not finish"
            try:
                attempt, conclusion, fault = self._try_on(lane)
            finally:
                if self._only is None:
                    self._parts.lanes.give(lane, fault or lane.rotation.take_fault())
            if attempt is not None:
                return attempt, conclusion

    def _try_on(self, lane: Lane) -> tuple[AttemptTrace | None, Conclusion, str]:
        """Return the attempt, its conclusion and the lane's fault; no attempt if it must be repeated."""
        try:
            attempt = self._attempt_on(lane)
        except HostLostError as error:
            if self._cancelled():
                raise CancelledWaitError from error
            if self._only is not None:
                lane.start()
            return None, self._lost(lane, str(error)), f"lost: {error}"
        conclusion = self._classify(attempt)
        if lane.rotation.memory_contended and ran_out_of_memory(conclusion):
            self._needs_idle_lane = True
            return None, conclusion, ""
        if may_be_crowded_out(attempt, conclusion):
            self._reference_first = True
            return None, conclusion, ""
        if lost_its_context(attempt) and not self._own_values:
            self._own_values = True
            return None, conclusion, ""
        if found_others_at_work(attempt) and not self._shared:
            self._shared = True
            order_cost.forget(lane)
            return None, conclusion, ""
        fault = device_fault(attempt, conclusion) if lane.device.kind == "cuda" else ""
        if fault and conclusion.outcome is Outcome.INFRA_ERROR:
            return None, self._lost(lane, conclusion.detail), fault
        if not fault and not attempt.needed:
            context = JobContext(lane, self._builds, self._on_stage, self._cancelled)
            self._final_report = self._parts.post_verdict.add(
                self._report(conclusion, attempt), self._job, attempt, context
            )
        return attempt, conclusion, fault

    def _with_source_lines(self, report: Report, attempt: AttemptTrace) -> Report:
        """Add what needs a compiler and no device, now that the lane is given back."""
        if not self._job.inspect:
            return report
        return source_lines.with_source_lines(
            report,
            self._job,
            attempt,
            self._builds,
            self._parts.builder,
            self._parts.sandbox,
            self._cancelled,
        )

    def _lost(self, lane: Lane, evidence: str) -> Conclusion:
        """Count a broken lane. Raises HostLostError with all evidence if there were too many."""
        self._losses.append(f"({len(self._losses) + 1}) on {lane.name}: {evidence[:1500]}")
        if len(self._losses) >= _MAX_LOSSES:
            raise HostLostError(f"the job broke its lane {_MAX_LOSSES} times. {' '.join(self._losses)}")
        return Conclusion(Outcome.INFRA_ERROR, evidence)

    def _attempt_on(self, lane: Lane) -> AttemptTrace:
        queued = time.monotonic()
        lane.wait_ready()
        if self._needs_idle_lane:
            lane.rotation.drain()
        if lane.times_calls and self._job.profile.timings_max:
            order_cost.refresh(lane, self._cancelled)
        ready_s = time.monotonic() - queued
        store = self._parts.stores.of(lane.device)
        self._earlier = admissions.find(store, self._job)
        trace = traces.find(store, self._job)
        facts = lane.facts() | {
            "admission": self._earlier,
            "inspect": self._job.inspect,
            "traced": trace is not None,
            "own_values": self._own_values,
            "reference_first": self._reference_first,
        }
        if self._shared:
            facts["order_cost"] = order_cost.of_a_shared_device(lane)
        with Sampler.of(lane.device, self._on_stage) as sampler:
            attempt = Attempt(
                self._job, lane.rotation, facts=facts, on_stage=sampler.on_stage, cancelled=self._cancelled,
                reference_first=self._reference_first,
                resolve=lambda request: self._parts.builder.resolve(request, self._builds),
            ).run()  # fmt: skip
        attempt.samples, attempt.peaks = sampler.samples, self._parts.post_verdict.peaks(lane, attempt)
        lane.add_seconds({"start": ready_s} | attempt.stages)
        if attempt.verdict is not None:
            order_cost.doubt(lane, attempt.verdict)
            admissions.keep(store, self._job, attempt.verdict)
            traces.keep(store, self._job, attempt.verdict)
            attempt.verdict = ({"trace": trace} if trace else {}) | attempt.verdict
        return attempt

    def _classify(self, attempt: AttemptTrace) -> Conclusion:
        """Return the conclusion: a failed extension is a build error even if the candidate falls back to torch."""
        conclusion = classify_outcome(attempt)
        failure = self._builds.failure()
        # An attempt that ended with the failed build has no verdict, so the reference is not to blame.
        cut_short = attempt.unbuildable and attempt.verdict is None
        reference_is_at_fault = conclusion.outcome is Outcome.INVALID_REFERENCE and not cut_short
        return Conclusion(*failure) if failure and not reference_is_at_fault else conclusion

    def _report(self, conclusion: Conclusion, attempt: AttemptTrace) -> Report:
        total_s = time.monotonic() - self._started - self._waited_s
        return report.report(
            self._job, conclusion, attempt, earlier=self._earlier, build=self._builds.info(),
            started_at=self._started_at, device=self._device, versions=self._parts.versions(),
            sandbox=self._parts.sandbox, total_s=total_s, build_s=self._build_s, waited_s=self._waited_s,
            noise=self._noise,
        )  # fmt: skip
