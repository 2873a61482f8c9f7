"""A judge's and a runner's zygote, and the two children that they have ready for a job.

Forking, and on a GPU two contexts, take half a second and need nothing of a job. So a GPU's lane has two pairs: while a
job is at work in one, the other is cleared of the job before and made ready for the next. A child that waits has run
nothing but the engine's own code, in a sandbox where no job is; and none of this goes on while a candidate is timed.
"""

from __future__ import annotations

import select
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from eval_app.engine.sandbox.channel import Channel
from eval_app.engine.sandbox.zygote_host import Child, HostLostError, ZygoteHost, new_uid


@dataclass(frozen=True)
class ChildPair:
    """Two children that wait for their orders."""

    judge: Child
    runner: Child

    def is_waiting(self) -> bool:
        """Whether both are still there: a line that can be read before anything was asked is one that was hung up."""
        return not select.select([self.judge.control, self.runner.control], [], [], 0)[0]

    def close(self) -> None:
        """Hang up on both."""
        self.judge.control.close()
        self.runner.control.close()


class ZygotePair:
    """Two zygotes of one lane. One thread at a time: see `PairRotation`."""

    def __init__(self, judge: ZygoteHost, runner: ZygoteHost) -> None:
        """Nothing starts before `start`."""
        self.judge, self.runner = judge, runner
        self.children: ChildPair | None = None

    def start(self) -> None:
        """Launch both zygotes; they import torch side by side."""
        self._dismiss()
        self.judge.start()
        self.runner.start()

    def stop(self) -> None:
        """End both."""
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
        """Have a children ready: the one that waits, or a new one. HostLostError where there is none to be had."""
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
            # NVIDIA's driver opens an IPC handle for the user alone that made it. The two share no namespace, so
            # neither can signal or trace the other.
            return ChildPair(
                judge, self.runner.spawn(runner_line, uid if self.runner.device == "cuda" else new_uid())
            )
        finally:
            judge_line.close()
            runner_line.close()

    def clear(self, judge_linger_s: float = 0.0, runner_linger_s: float = 0.0) -> dict[str, dict[str, Any]]:
        """End the children, both sides at the same time: taking a CUDA context down takes tenths of a second.

        How each ended, by role; each may take so long to end by itself.
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
    """The pairs of one lane in turn. Its methods are for whoever holds the lane; what goes on behind has one thread."""

    def __init__(self, pairs: list[ZygotePair]) -> None:
        """One pair is cleared and made ready between jobs, two behind them."""
        self.pairs = pairs
        # Held while a candidate is timed, and while a pair is cleared or made ready behind a job.
        self.background_lock = threading.Lock()
        # What was spent behind jobs, by the same stages as an attempt's.
        self.seconds: defaultdict[str, float] = defaultdict(float)
        # Whether the job before still held its memory when the present one began.
        self.memory_contended = False
        self._fault = ""
        self._index = 0
        self._background: ThreadPoolExecutor | None = None
        self._pending: dict[int, Future[None]] = {}

    @property
    def alternates(self) -> bool:
        """Whether a pair can be cleared while another is at work."""
        return len(self.pairs) > 1

    @property
    def current(self) -> ZygotePair:
        """The pair that has the job, or had the last one."""
        return self.pairs[self._index]

    @property
    def _next(self) -> ZygotePair:
        return self.pairs[(self._index + 1) % len(self.pairs)]

    def wait_ready(self) -> None:
        """Block until the next pair can fork."""
        self._wait(self._next)
        self._next.wait_ready()

    def take(self) -> ChildPair:
        """The next pair's children; the other pair is made ready behind. HostLostError where there is none to be had."""
        self._wait(self._next)
        self._index = (self._index + 1) % len(self.pairs)
        self.memory_contended = self._is_busy(self._next)
        children = self.current.prepare()
        if self.alternates:  # after what is left of the job before, if that is still to be cleared
            self._run_in_background(self._next, "fork", self._next.prepare)
        return children

    def clear_later(self, pair: ZygotePair) -> None:
        """Clear it behind the next job: how its children end is of no interest any more."""
        self._run_in_background(pair, "teardown", pair.clear)

    def idle_pair(self) -> ZygotePair:
        """The current pair without children, and nothing going on behind: for a question to its judge alone."""
        self.drain()
        self.current.clear()
        return self.current

    def drain(self) -> None:
        """Wait until nothing goes on behind."""
        for pair in self.pairs:
            self._wait(pair)

    def take_fault(self) -> str:
        """What went wrong behind since the last time, or nothing: the lane may not be trusted then."""
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
        """End all zygotes; what goes on behind loses them and gives up."""
        background, self._background = self._background, None
        for _ in range(2):  # a zygote may have been launched again meanwhile
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
            except (HostLostError, OSError) as error:
                self._fault = self._fault or f"behind a job: {error}"
                pair.stop()
            self.seconds[stage] += time.monotonic() - began
