"""Pairs of zygotes, for judge and runner, and the two children that each keeps ready for a job.

Forking, and creating two contexts on a GPU, takes half a second and needs nothing from a job. A GPU lane
therefore has two pairs: while one runs a job, the other is cleaned up after the previous job and prepared for
the next. A waiting child has run only the engine's own code, in a sandbox without a job, and this background
work pauses while a candidate is timed.
"""

from __future__ import annotations

import select
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from eval_app.engine.sandbox.channel import Channel
from eval_app.engine.sandbox.zygote_host import Child, ZygoteHost, new_uid


@dataclass(frozen=True)
class ChildPair:
    """A judge and a runner that wait for their orders."""

    judge: Child
    runner: Child

    def is_waiting(self) -> bool:
        """Return whether both are alive: a channel that is readable before any order was sent has been closed."""
        return not select.select([self.judge.control, self.runner.control], [], [], 0)[0]

    def close(self) -> None:
        """Close both channels."""
        self.judge.control.close()
        self.runner.control.close()


class ZygotePair:
    """The zygotes of judge and runner. Used by one thread at a time: see `PairRotation`."""

    def __init__(self, judge: ZygoteHost, runner: ZygoteHost) -> None:
        """Store the hosts; `start` launches them."""
        self.judge, self.runner = judge, runner
        self.children: ChildPair | None = None

    def start(self) -> None:
        """Launch both zygotes; they import torch in parallel."""
        self._dismiss()
        self.judge.start()
        self.runner.start()

    def kill(self) -> None:
        """End both zygotes; the next children need new ones."""
        self._dismiss()
        self.judge.kill()
        self.runner.kill()

    def stop(self) -> None:
        """End both zygotes for good."""
        self._dismiss()
        self.judge.stop()
        self.runner.stop()

    def _dismiss(self) -> None:
        children, self.children = self.children, None
        if children is not None:
            children.close()

    def wait_ready(self) -> None:
        """Block until both can fork."""
        self.judge.wait_ready()
        self.runner.wait_ready()

    def prepare(self) -> ChildPair:
        """Return waiting children, new ones if necessary. Raises HostLostError if that fails."""
        if self.children is not None and not self.children.is_waiting():
            self.clear()
        if self.children is None:
            self.children = self._fork()
            self.children.judge.wait_ready()
            self.children.runner.wait_ready()
        return self.children

    def _fork(self) -> ChildPair:
        judge_line, runner_line = Channel.pair()
        try:
            uid = new_uid()
            judge = self.judge.spawn(judge_line, uid)
            # NVIDIA's driver opens an IPC handle only for the user that created it. The two share no
            # namespace, so neither can signal or trace the other.
            return ChildPair(
                judge, self.runner.spawn(runner_line, uid if self.runner.device == "cuda" else new_uid())
            )
        finally:
            judge_line.close()
            runner_line.close()

    def clear(self, judge_linger_s: float = 0.0, runner_linger_s: float = 0.0) -> dict[str, dict[str, Any]]:
        """End both children in parallel, because destroying a CUDA context takes tenths of a second.

        Return how each ended, by role; each has its linger time to end by itself.
        """
        children, self.children = self.children, None
        if children is None:
            return {}
        try:
            self.runner.reap(runner_linger_s)
            self.judge.reap(judge_linger_s)
            return {"runner": self.runner.reaped(), "judge": self.judge.reaped()}
        finally:
            children.close()


class PairRotation:
    """The pairs of one lane, used alternately. Its methods are for the holder of the lane; one thread does
    the background work."""

    def __init__(self, pairs: list[ZygotePair]) -> None:
        """Store the pairs: a single one is prepared between jobs, two alternate in the background."""
        self.pairs = pairs
        # Held while a candidate is timed, and while a pair is cleared or prepared in the background.
        self.background_lock = threading.Lock()
        # Seconds of background work, by the stages of an attempt.
        self.seconds: defaultdict[str, float] = defaultdict(float)
        # Whether the previous job still held its memory when the present one started.
        self.memory_contended = False
        self._fault = ""
        self._index = 0
        self._background: ThreadPoolExecutor | None = None
        self._pending: dict[int, Future[None]] = {}

    @property
    def alternates(self) -> bool:
        """Return whether one pair can be cleared while another runs a job."""
        return len(self.pairs) > 1

    @property
    def current(self) -> ZygotePair:
        """Return the pair of the present or most recent job."""
        return self.pairs[self._index]

    @property
    def _next(self) -> ZygotePair:
        return self.pairs[(self._index + 1) % len(self.pairs)]

    def wait_ready(self) -> None:
        """Block until the next pair can fork."""
        self._wait(self._next)
        self._next.wait_ready()

    def take(self) -> ChildPair:
        """Return the next pair's children and prepare the other pair in the background. Raises HostLostError
        on failure."""
        self._wait(self._next)
        self._index = (self._index + 1) % len(self.pairs)
        self.memory_contended = self._is_busy(self._next)
        children = self.current.prepare()
        if self.alternates:  # queued after the cleanup of the previous job, if that is pending
            self._run_in_background(self._next, "fork", self._next.prepare)
        return children

    def clear_later(self, pair: ZygotePair) -> None:
        """Clear a pair in the background: how its children end no longer matters."""
        self._run_in_background(pair, "teardown", pair.clear)

    def idle_pair(self) -> ZygotePair:
        """Return the current pair without children and without background work, for a query to its judge alone."""
        self.drain()
        self.current.clear()
        return self.current

    def drain(self) -> None:
        """Wait until the background work is finished."""
        for pair in self.pairs:
            self._wait(pair)

    def finish_background(self, timeout_s: float) -> None:
        """Wait for at most `timeout_s` until the background work is finished, all pieces that are queued included."""
        wait(list(self._pending.values()), timeout_s)

    def take_fault(self) -> str:
        """Return and reset the error of the background work, if any: the lane must then be retested."""
        fault, self._fault = self._fault, ""
        return fault

    def start(self) -> None:
        """Replace all zygotes."""
        self.drain()
        for pair in self.pairs:
            pair.start()
        if self.alternates and self._background is None:
            self._background = ThreadPoolExecutor(1, thread_name_prefix="background")

    def stop(self) -> None:
        """End all zygotes for good; background work fails and ends."""
        background, self._background = self._background, None
        for pair in self.pairs:
            pair.stop()
        if background is not None:
            background.shutdown(cancel_futures=True)

    def _is_busy(self, pair: ZygotePair) -> bool:
        pending = self._pending.get(id(pair))
        return pending is not None and not pending.done()

    def _wait(self, pair: ZygotePair) -> None:
        pending = self._pending.get(id(pair))
        if pending is not None and not pending.cancelled():
            pending.result()

    def _run_in_background(self, pair: ZygotePair, stage: str, action: Callable[[], object]) -> None:
        if self._background is not None:
            self._pending[id(pair)] = self._background.submit(self._run_exclusively, pair, stage, action)

    def _run_exclusively(self, pair: ZygotePair, stage: str, action: Callable[[], object]) -> None:
        with self.background_lock:
            began = time.monotonic()
            try:
                action()
            except Exception as error:  # of whatever kind: it must not meet the next job
                self._fault = self._fault or f"in the background: {error}"
                pair.kill()
            self.seconds[stage] += time.monotonic() - began
