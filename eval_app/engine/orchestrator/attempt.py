"""One attempt at one job on one lane: two forked roles, monitored until a verdict, a deadline or a crash."""

from __future__ import annotations

import contextlib
import selectors
import time
from collections.abc import Callable
from typing import Any

from eval_app.engine.build.request import BuildRefusedError, BuildRequest
from eval_app.engine.contract import schema
from eval_app.engine.contract.jobs import Job
from eval_app.engine.orchestrator.attempt_trace import AttemptTrace
from eval_app.engine.orchestrator.memory_watch import MemoryWatch
from eval_app.engine.sandbox.channel import Channel, ChannelClosedError, ChannelTimeoutError
from eval_app.engine.sandbox.zygote_host import Child, HostLostError
from eval_app.engine.sandbox.zygote_pair import ChildPair, PairRotation

_TICK_S = 0.1
# For the rest of a message that has begun, and for a side that does not read what it asked for.
_MESSAGE_S = 5.0
_LAST_WORDS_S = 2.0
# Background work has deadlines of its own and ends within this time.
_BACKGROUND_PAUSE_S = 90.0
_MAX_BUILDS = 16
_MAX_STAGES = 20
# Why a candidate could not be loaded, as a runner says it.
LOAD_FAULTS = {
    "load_error", "unsupported", "out_of_memory", "illegal_memory", "wrong_structure", "cheated", "build_needed",
}  # fmt: skip

Resolve = Callable[[BuildRequest], dict[str, Any]]


class Attempt:
    """Runs one job once. The caller holds the lane."""

    def __init__(
        self, job: Job, rotation: PairRotation, *, resolve: Resolve, facts: dict[str, Any],
        on_stage: Callable[[str, str], None], cancelled: Callable[[], bool], reference_first: bool = False,
    ) -> None:  # fmt: skip
        """Store the job; `facts` are sent to the judge: the device's bandwidth and the task's admission, if known.

        With `reference_first` the candidate is loaded once the reference is prepared, not beside it.
        """
        self._job, self._rotation = job, rotation
        self._resolve, self._facts = resolve, facts
        self._on_stage, self._cancelled = on_stage, cancelled
        self.trace = AttemptTrace(reference_first=reference_first)
        self._started = self._load_began = time.monotonic()
        self._ordered = False
        self._memory = MemoryWatch(job.profile.memory_bytes)
        self._trials_started: float | None = None
        self._idle: tuple[float, float] | None = None
        self._builds = 0
        self._judge_gone = self._runner_gone = self._background_paused = self._held = False
        self._stage, self._stage_began = "fork", self._started

    def run(self) -> AttemptTrace:
        """Run the attempt from fork to cleanup. Raises HostLostError if a zygote breaks."""
        children = self._rotation.take()
        self._started = time.monotonic()
        try:
            self._enter("prepare")
            self._order_judge(children.judge)
            self._watch(children)
        finally:
            self._enter("teardown")
            try:
                if self._held:  # a judge that ended meanwhile, or a reference that asked for it
                    self._hold(False)
                self._clean_up(children)
            finally:
                self._resume_background()
        self._enter("")
        return self.trace

    def _clean_up(self, children: ChildPair) -> None:
        """End both sides; in the background if their exit status does not matter."""
        pair, attempt = self._rotation.current, self.trace
        attempt.judge_left_first = self._judge_gone and not self._runner_gone
        if self._rotation.alternates and self._is_complete():
            self._rotation.clear_later(pair)
            return
        ended = pair.clear(self._linger_s(self._judge_gone), self._linger_s(self._runner_gone))
        if not ended:
            raise HostLostError("the lane was stopped while its job was running")
        attempt.runner_end, attempt.judge_end = ended["runner"], ended["judge"]
        attempt.runner_log, attempt.judge_log = children.runner.log.text(), children.judge.log.text()

    def _is_complete(self) -> bool:
        attempt = self.trace
        lost = (attempt.verdict or {}).get("outcome") == "runner_lost"
        odd = attempt.stopped or attempt.forged or attempt.failure or self._judge_gone or self._runner_gone
        return attempt.verdict is not None and attempt.loaded and not lost and not odd

    def _pause_background(self) -> None:
        """Let background work finish, and start no more, before the device is watched or timed."""
        if not self._background_paused:
            self._rotation.finish_background(
                _BACKGROUND_PAUSE_S
            )  # the lock alone may come between two pieces of it
            self._background_paused = self._rotation.background_lock.acquire(timeout=_BACKGROUND_PAUSE_S)

    def _resume_background(self) -> None:
        if self._background_paused:
            self._background_paused = False
            self._rotation.background_lock.release()

    def _enter(self, stage: str) -> None:
        """Add the time since the last call to the stage that ends now."""
        now, stages = time.monotonic(), self.trace.stages
        stages[self._stage] = stages.get(self._stage, 0.0) + now - self._stage_began
        self._stage, self._stage_began = stage, now

    def _linger_s(self, gone: bool) -> float:
        """Return the time that a side that closed its channel has to exit, so that its status is known."""
        lost = (self.trace.verdict or {}).get("outcome") == "runner_lost"
        return _LAST_WORDS_S if (gone or lost) and not self.trace.stopped else 0.0

    def _order_judge(self, judge: Child) -> None:
        profile = schema.to_json(self._job.profile)
        order = {"reference": self._job.reference, "profile": profile, **self._job.task(), **self._facts}
        with contextlib.suppress(ChannelClosedError):
            judge.control.send(order)

    def _order_runner(self, runner: Child) -> None:
        self._ordered, self._load_began = True, time.monotonic()
        with contextlib.suppress(ChannelClosedError):
            runner.control.send({"candidate": self._job.candidate})

    def _watch(self, children: ChildPair) -> None:
        judge, runner = children.judge, children.runner
        # The kernel counts what epoll watches by user, and where the worker is not root, candidates are this user.
        with selectors.PollSelector() as selector:
            selector.register(judge.control, selectors.EVENT_READ, self._on_judge_message)
            selector.register(runner.control, selectors.EVENT_READ, self._on_runner_message)
            next_look = 0.0
            while not self._is_over() and selector.get_map():
                if not self._ordered and (self.trace.prepared or not self.trace.reference_first):
                    self._order_runner(runner)
                self._poll(selector, judge, runner)
                if self.trace.loaded and self.trace.prepared and self._trials_started is None:
                    self._start_trials(judge.control)
                if time.monotonic() >= next_look:
                    self._check_limits()
                    next_look = time.monotonic() + _TICK_S

    def _poll(self, selector: selectors.BaseSelector, judge: Child, runner: Child) -> None:
        ready = {key.fd for key, _ in selector.select(_TICK_S)}
        for key in [*selector.get_map().values()]:
            waits = key.fd in ready or key.fileobj.is_arriving  # type: ignore[union-attr]
            if waits and not self._receive(key.fileobj, key.data):  # type: ignore[arg-type]
                selector.unregister(key.fileobj)
                self._judge_gone |= key.fileobj is judge.control
                self._runner_gone |= key.fileobj is runner.control

    def _receive(self, channel: Channel, handle: Callable[[dict[str, Any], Channel], None]) -> bool:
        """Handle one message, if all of it is there: limits are to be looked at meanwhile. Return False if that side
        will send no more."""
        try:
            message = channel.arrived(_MESSAGE_S)
            if message is not None:
                handle(message, channel)
        except ChannelClosedError:
            return False
        except (
            ValueError,
            KeyError,
            TypeError,
            ChannelTimeoutError,
        ) as error:  # no message, or not of its kind
            if handle == self._on_runner_message:
                self.trace.forged = f"{type(error).__name__}: {str(error)[:300]}"
            return False
        return True

    def _on_judge_message(self, message: dict[str, Any], channel: Channel) -> None:
        kind = message.get("type")
        if kind == "verdict":
            self.trace.verdict = message
        elif kind == "prepared":
            self.trace.prepared = True
        elif kind == "stage":
            stage = str(message["stage"])[:40]
            if (
                stage.isidentifier() and len(self.trace.stages) < _MAX_STAGES
            ):  # a reference may have forged it
                self._enter(stage)
                self._on_stage(stage, "")
        elif kind == "hold":
            self._pause_background()
            _answer(channel, {"done": self._hold(message.get("frozen") is True)})
        elif kind == "end":
            _answer(channel, {"done": self._end_candidate()})
        elif kind == "idle":
            share = self._mark_idle(begin=message.get("phase") == "begin")
            _answer(channel, {"busy_share": share, "busy_s": self._idle[1] if self._idle else 0.0})

    def _hold(self, frozen: bool) -> bool:
        """Freeze the runner's processes, or let them go on; return whether all of them did, and none ran meanwhile."""
        self._held = frozen
        return self._rotation.current.runner.freeze(frozen=frozen)

    def _end_candidate(self) -> bool:
        """End the candidate's processes before the judge has come to its verdict; return whether none is left."""
        runner = self._rotation.current.runner
        try:
            runner.reap()
            runner.reaped()
        except HostLostError:  # what the judge has seen is still to be said
            runner.start()
            runner.wait_ready()
            return False
        return True

    def _mark_idle(self, *, begin: bool) -> float:
        """Return the share of one processor that the runner's sandbox used since the last mark."""
        now = (time.monotonic(), self._rotation.current.runner.busy_s())
        before, self._idle = self._idle, now
        if begin or before is None:
            return 0.0
        return max(0.0, (now[1] - before[1]) / max(1e-3, now[0] - before[0]))

    def _on_runner_message(self, message: dict[str, Any], channel: Channel) -> None:
        """Handle a message of the runner's; one that the engine's own code does not send is the candidate's."""
        kind = message.get("type")
        if kind == "loaded":
            self.trace.loaded = True
            self.trace.load_s = time.monotonic() - self._load_began
        elif kind == "failed":
            failure = {key: str(message.get(key, ""))[:4000] for key in ("kind", "code", "detail")}
            needless = failure["kind"] == "build_needed" and not self.trace.needed
            if failure["kind"] not in LOAD_FAULTS or needless:
                raise ValueError(f"a failure of kind {failure['kind'][:60]!r}")
            self.trace.failure = failure
        elif kind == "build":
            self._answer_build(BuildRequest.from_dict(message["request"]), channel)
        else:
            raise ValueError(f"a message of type {ascii(kind)[:60]}")

    def _answer_build(self, request: BuildRequest, channel: Channel) -> None:
        self._builds += 1
        if self._builds > _MAX_BUILDS:
            raise BuildRefusedError(f"a candidate may have at most {_MAX_BUILDS} extensions")
        answer = self._resolve(request)
        if answer.get("failed"):
            self.trace.unbuildable = True
        elif answer.get("path") is None:
            self.trace.needed.append(request)
        _answer(channel, answer)

    def _start_trials(self, control: Channel) -> None:
        self._trials_started = time.monotonic()
        with contextlib.suppress(ChannelClosedError):
            control.send({"type": "go"}, timeout_s=_MESSAGE_S)

    def _is_over(self) -> bool:
        attempt = self.trace
        if attempt.verdict is not None or attempt.stopped or attempt.unbuildable or self._judge_gone:
            return True
        out = (
            attempt.failure is not None or (self._runner_gone and not attempt.loaded) or bool(attempt.forged)
        )
        return out and (attempt.prepared or bool(attempt.needed) or self._waited_for_reference())

    def _waited_for_reference(self) -> bool:
        """Return whether the reference had its time: a failed load only counts if the reference works."""
        return time.monotonic() - self._load_began > self._job.profile.load_timeout_s

    def _check_limits(self) -> None:
        """Check deadlines, cancellation and memory."""
        profile, now = self._job.profile, time.monotonic()
        ready_s = profile.load_timeout_s + profile.first_call_timeout_s
        is_loading = self._ordered and not self.trace.loaded and self.trace.failure is None
        if self._cancelled():
            self.trace.stopped = "cancelled"
        elif self._trials_started is not None:
            if now - self._trials_started > profile.total_timeout_s:
                self.trace.stopped = "total_timeout"
        elif now - self._started > ready_s and not self.trace.prepared:
            self.trace.stopped = "reference_timeout"
        elif is_loading and now - self._load_began > profile.load_timeout_s:
            self.trace.stopped = "load_timeout"
        pair, trace = self._rotation.current, self.trace
        trace.stopped = self._memory.check(pair.runner, pair.judge) or trace.stopped
        trace.peak_runner_bytes, trace.peak_judge_bytes = (
            self._memory.peak_runner_bytes,
            self._memory.peak_judge_bytes,
        )


def _answer(channel: Channel, message: dict[str, Any]) -> None:
    """Send an answer; if that side has hung up, its last message is read next."""
    with contextlib.suppress(ChannelClosedError):
        channel.send(message, timeout_s=_MESSAGE_S)
