"""One attempt at one job on one lane: two forked roles, watched until the verdict, the deadline or a death."""

from __future__ import annotations

import contextlib
import selectors
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eval_app.engine.build.request import BuildRefusedError, BuildRequest
from eval_app.engine.contract import schema
from eval_app.engine.contract.jobs import Job
from eval_app.engine.hardware.device_peaks import Peaks
from eval_app.engine.hardware.telemetry import Sample
from eval_app.engine.sandbox import process_tree
from eval_app.engine.sandbox.channel import (
    Channel,
    ChannelClosedError,
    ChannelTimeoutError,
    MalformedMessageError,
)
from eval_app.engine.sandbox.zygote_host import Child, HostLostError
from eval_app.engine.sandbox.zygote_pair import Couple, Turns

_TICK_S = 0.1
_PARTIAL_MESSAGE_S = 5.0
_LAST_WORDS_S = 2.0
# What goes on behind a job has deadlines of its own, and ends within this.
_HUSH_S = 90.0
_MAX_BUILDS = 16
_MAX_STAGES = 20
# Memory that the machine must keep, as a share of all: shared memory counts in no process.
_AVAILABLE_SHARE = 0.03

Resolve = Callable[[BuildRequest], dict[str, Any]]


@dataclass
class Course:
    """What was seen of an attempt, from outside."""

    verdict: dict[str, Any] | None = None
    # The runner's own account of why it could not load.
    failure: dict[str, Any] | None = None
    loaded: bool = False
    prepared: bool = False
    # What must be built before the next attempt.
    needed: list[BuildRequest] = field(default_factory=list)
    # It asked for what cannot be built.
    unbuildable: bool = False
    # Why the orchestrator ended it: "load_timeout", "reference_timeout", "total_timeout", "cancelled", or
    # "memory:runner" and "memory:judge".
    stopped: str = ""
    runner_end: dict[str, Any] = field(default_factory=dict)
    judge_end: dict[str, Any] = field(default_factory=dict)
    runner_log: str = ""
    judge_log: str = ""
    forged: str = ""
    load_s: float = 0.0
    # Seconds by stage on the orchestrator's clock: "fork", "prepare", what the judge announced, "teardown".
    stages: dict[str, float] = field(default_factory=dict)
    peak_runner_bytes: int = 0
    # The device's state while the candidate was timed, and what the device can do; set by the engine.
    samples: list[Sample] = field(default_factory=list)
    peaks: Peaks | None = None


class Attempt:
    """Runs one job once. The lane is held by the caller."""

    def __init__(
        self, job: Job, turns: Turns, *, resolve: Resolve, facts: dict[str, Any],
        on_stage: Callable[[str, str], None], cancelled: Callable[[], bool],
    ) -> None:  # fmt: skip
        """`facts` go to the judge: the device's bandwidth, and the task's admission where it is known."""
        self._job, self._turns = job, turns
        self._resolve, self._facts = resolve, facts
        self._on_stage, self._cancelled = on_stage, cancelled
        self.course = Course()
        self._started = time.monotonic()
        self._went: float | None = None
        self._idle: tuple[float, float] | None = None
        self._builds = 0
        self._judge_gone = self._runner_gone = self._hushed = False
        self._stage, self._stage_began = "fork", self._started

    def run(self) -> Course:
        """The attempt from fork to reap. HostLostError where a zygote broke."""
        couple = self._turns.take()
        self._started = time.monotonic()
        try:
            self._enter("prepare")
            self._brief(couple)
            self._watch(couple)
        finally:
            self._enter("teardown")
            try:
                self._clean_up(couple)
            finally:
                self._hear_again()
        self._enter("")
        return self.course

    def _clean_up(self, couple: Couple) -> None:
        """End both sides; behind the next job where nothing is to be learnt from how they end."""
        pair, course = self._turns.current, self.course
        if self._turns.in_turns and self._has_said_all():
            self._turns.leave(pair)
            return
        ended = pair.clear(self._linger_s(self._judge_gone), self._linger_s(self._runner_gone))
        if not ended:
            raise HostLostError("the lane was stopped while its job was at work")
        course.runner_end, course.judge_end = ended["runner"], ended["judge"]
        course.runner_log, course.judge_log = couple.runner.log.text(), couple.judge.log.text()

    def _has_said_all(self) -> bool:
        course = self.course
        lost = (course.verdict or {}).get("outcome") == "runner_lost"
        odd = course.stopped or course.forged or course.failure or self._judge_gone or self._runner_gone
        return course.verdict is not None and course.loaded and not lost and not odd

    def _hush(self) -> None:
        """Before the candidate is timed: let what goes on behind come to its end, and nothing begin."""
        if not self._hushed:
            self._hushed = self._turns.quiet.acquire(timeout=_HUSH_S)

    def _hear_again(self) -> None:
        if self._hushed:
            self._hushed = False
            self._turns.quiet.release()

    def _enter(self, stage: str) -> None:
        """Book the time since the last call on the stage that ends now."""
        now, stages = time.monotonic(), self.course.stages
        stages[self._stage] = stages.get(self._stage, 0.0) + now - self._stage_began
        self._stage, self._stage_began = stage, now

    def _linger_s(self, gone: bool) -> float:
        """How long a side that hung up may take to end by itself, so that its own status is learnt."""
        lost = (self.course.verdict or {}).get("outcome") == "runner_lost"
        return _LAST_WORDS_S if (gone or lost) and not self.course.stopped else 0.0

    def _brief(self, couple: Couple) -> None:
        profile = schema.to_json(self._job.profile)
        with contextlib.suppress(ChannelClosedError):
            couple.judge.control.send(
                {"reference": self._job.reference, "profile": profile, **self._job.task(), **self._facts}
            )
            couple.runner.control.send({"candidate": self._job.candidate})

    def _watch(self, couple: Couple) -> None:
        judge, runner = couple.judge, couple.runner
        with selectors.DefaultSelector() as selector:
            selector.register(judge.control, selectors.EVENT_READ, self._hear_judge)
            selector.register(runner.control, selectors.EVENT_READ, self._hear_runner)
            next_look = 0.0
            while not self._over() and selector.get_map():
                self._listen(selector, judge, runner)
                if self.course.loaded and self.course.prepared and self._went is None:
                    self._go(judge.control)
                if time.monotonic() >= next_look:
                    self._look()
                    next_look = time.monotonic() + _TICK_S

    def _listen(self, selector: selectors.BaseSelector, judge: Child, runner: Child) -> None:
        for key, _ in selector.select(_TICK_S):
            if not self._hear(key.fileobj, key.data):  # type: ignore[arg-type]
                selector.unregister(key.fileobj)
                self._judge_gone |= key.fileobj is judge.control
                self._runner_gone |= key.fileobj is runner.control

    def _hear(self, channel: Channel, hear: Callable[[dict[str, Any], Channel], None]) -> bool:
        """Take one message in; False when that side has no more to say."""
        try:
            hear(channel.receive(_PARTIAL_MESSAGE_S), channel)
        except ChannelClosedError:
            return False
        except (MalformedMessageError, ChannelTimeoutError, BuildRefusedError, KeyError, TypeError) as error:
            if hear == self._hear_runner:
                self.course.forged = f"{type(error).__name__}: {str(error)[:300]}"
            return False
        return True

    def _hear_judge(self, message: dict[str, Any], channel: Channel) -> None:
        kind = message.get("type")
        if kind == "verdict":
            self.course.verdict = message
        elif kind == "prepared":
            self.course.prepared = True
        elif kind == "stage":
            stage = str(message["stage"])[:40]
            if (
                stage.isidentifier() and len(self.course.stages) < _MAX_STAGES
            ):  # a reference may have written it
                self._enter(stage)
                self._on_stage(stage, "")
        elif kind == "idle":
            self._hush()
            share = self._mark_idle(begin=message.get("phase") == "begin")
            _answer(channel, {"busy_share": share, "busy_s": self._idle[1] if self._idle else 0.0})

    def _mark_idle(self, *, begin: bool) -> float:
        """Share of a processor that the runner's sandbox used since the last mark."""
        now = (time.monotonic(), self._turns.current.runner.busy_s())
        before, self._idle = self._idle, now
        if begin or before is None:
            return 0.0
        return max(0.0, (now[1] - before[1]) / max(1e-3, now[0] - before[0]))

    def _hear_runner(self, message: dict[str, Any], channel: Channel) -> None:
        kind = message.get("type")
        if kind == "loaded":
            self.course.loaded = True
            self.course.load_s = time.monotonic() - self._started
        elif kind == "failed":
            self.course.failure = {
                key: str(message.get(key, ""))[:4000] for key in ("kind", "code", "detail")
            }
        elif kind == "build":
            self._answer_build(BuildRequest.from_dict(message["request"]), channel)

    def _answer_build(self, request: BuildRequest, channel: Channel) -> None:
        self._builds += 1
        if self._builds > _MAX_BUILDS:
            raise BuildRefusedError(f"a candidate may have {_MAX_BUILDS} extensions at most")
        answer = self._resolve(request)
        if answer.get("failed"):
            self.course.unbuildable = True
        elif answer.get("path") is None:
            self.course.needed.append(request)
        _answer(channel, answer)

    def _go(self, control: Channel) -> None:
        self._went = time.monotonic()
        with contextlib.suppress(ChannelClosedError):
            control.send({"type": "go"})

    def _over(self) -> bool:
        course = self.course
        if course.verdict is not None or course.stopped or course.unbuildable or self._judge_gone:
            return True
        out = course.failure is not None or (self._runner_gone and not course.loaded) or bool(course.forged)
        return out and (course.prepared or bool(course.needed) or self._waited_for_reference())

    def _waited_for_reference(self) -> bool:
        """A runner that failed to load waits for the reference's word: a broken task is nobody's fault."""
        return time.monotonic() - self._started > self._job.profile.load_timeout_s

    def _look(self) -> None:
        """Deadlines, cancellation, memory."""
        profile, age = self._job.profile, time.monotonic() - self._started
        if self._cancelled():
            self.course.stopped = "cancelled"
        elif self._went is not None:
            if time.monotonic() - self._went > profile.total_timeout_s:
                self.course.stopped = "total_timeout"
        elif age > profile.load_timeout_s + profile.first_call_timeout_s and not self.course.prepared:
            self.course.stopped = "reference_timeout"
        elif age > profile.load_timeout_s and not self.course.loaded and self.course.failure is None:
            self.course.stopped = "load_timeout"
        self._look_at_memory()

    def _look_at_memory(self) -> None:
        total, available = process_tree.memory()
        limit = min(self._job.profile.memory_bytes, int(total * 0.7))
        pair = self._turns.current
        runner = pair.runner.usage().resident_bytes
        self.course.peak_runner_bytes = max(self.course.peak_runner_bytes, runner)
        if runner > limit or available < total * _AVAILABLE_SHARE:
            self.course.stopped = "memory:runner"
        elif pair.judge.usage().resident_bytes > limit:
            self.course.stopped = "memory:judge"


def _answer(channel: Channel, message: dict[str, Any]) -> None:
    """Send; a side that hung up meanwhile may have left its last words, which are read next."""
    with contextlib.suppress(ChannelClosedError):
        channel.send(message)
