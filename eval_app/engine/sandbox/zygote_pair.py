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
class Couple:
    """Two children that wait for their orders."""

    judge: Child
    runner: Child

    def waits(self) -> bool:
        """Whether both are still there: a line that can be read before anything was asked is one that was hung up."""
        return not select.select([self.judge.control, self.runner.control], [], [], 0)[0]

    def close(self) -> None:
        """Hang up on both."""
        self.judge.control.close()
        self.runner.control.close()


class Pair:
    """Two zygotes of one lane. One thread at a time: see `Turns`."""

    def __init__(self, judge: ZygoteHost, runner: ZygoteHost) -> None:
        """Nothing starts before `start`."""
        self.judge, self.runner = judge, runner
        self.couple: Couple | None = None

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
        couple, self.couple = self.couple, None
        if couple is not None:
            couple.close()

    def wait_ready(self) -> None:
        """Block until both can fork."""
        self.judge.wait_ready()
        self.runner.wait_ready()

    def seat(self) -> Couple:
        """Have a couple ready: the one that waits, or a new one. HostLostError where there is none to be had."""
        if self.couple is not None and not self.couple.waits():
            self.clear()
        if self.couple is None:
            self.couple = self._fork()
            self.couple.judge.wait_ready()
            self.couple.runner.wait_ready()
        return self.couple

    def _fork(self) -> Couple:
        judge_line, runner_line = Channel.pair()
        try:
            uid = new_uid()
            judge = self.judge.spawn(judge_line, uid)
            # NVIDIA's driver opens an IPC handle for the user alone that made it. The two share no namespace, so
            # neither can signal or trace the other.
            return Couple(
                judge, self.runner.spawn(runner_line, uid if self.runner.device == "cuda" else new_uid())
            )
        finally:
            judge_line.close()
            runner_line.close()

    def clear(self, judge_linger_s: float = 0.0, runner_linger_s: float = 0.0) -> dict[str, dict[str, Any]]:
        """End the couple, both sides at the same time: taking a CUDA context down takes tenths of a second.

        How each ended, by role; each may take so long to end by itself.
        """
        couple, self.couple = self.couple, None
        if couple is None:
            return {}
        try:
            self.runner.reap(runner_linger_s)
            self.judge.reap(judge_linger_s)
            return {"runner": self.runner.reaped(), "judge": self.judge.reaped()}
        finally:
            couple.close()


class Turns:
    """The pairs of one lane in turn. Its methods are for whoever holds the lane; what goes on behind has one thread."""

    def __init__(self, pairs: list[Pair]) -> None:
        """One pair is cleared and made ready between jobs, two behind them."""
        self.pairs = pairs
        # Held while a candidate is timed, and while a pair is cleared or made ready behind a job.
        self.quiet = threading.Lock()
        # What was spent behind jobs, by the same stages as an attempt's.
        self.seconds: defaultdict[str, float] = defaultdict(float)
        # Whether the job before still held its memory when the present one began.
        self.crowded = False
        self._fault = ""
        self._at = 0
        self._behind: ThreadPoolExecutor | None = None
        self._pending: dict[int, Future[None]] = {}

    @property
    def in_turns(self) -> bool:
        """Whether a pair can be cleared while another is at work."""
        return len(self.pairs) > 1

    @property
    def current(self) -> Pair:
        """The pair that has the job, or had the last one."""
        return self.pairs[self._at]

    @property
    def _next(self) -> Pair:
        return self.pairs[(self._at + 1) % len(self.pairs)]

    def wait_ready(self) -> None:
        """Block until the next pair can fork."""
        self._wait(self._next)
        self._next.wait_ready()

    def take(self) -> Couple:
        """The next pair's couple; the other pair is made ready behind. HostLostError where there is none to be had."""
        self._wait(self._next)
        self._at = (self._at + 1) % len(self.pairs)
        self.crowded = self._is_busy(self._next)
        couple = self.current.seat()
        if self.in_turns:  # after what is left of the job before, if that is still to be cleared
            self._do_behind(self._next, "fork", self._next.seat)
        return couple

    def leave(self, pair: Pair) -> None:
        """Clear it behind the next job: how its children end is of no interest any more."""
        self._do_behind(pair, "teardown", pair.clear)

    def unoccupied(self) -> Pair:
        """The current pair without children, and nothing going on behind: for a question to its judge alone."""
        self.settle()
        self.current.clear()
        return self.current

    def settle(self) -> None:
        """Wait until nothing goes on behind."""
        for pair in self.pairs:
            self._wait(pair)

    def take_fault(self) -> str:
        """What went wrong behind since the last time, or nothing: the lane may not be trusted then."""
        fault, self._fault = self._fault, ""
        return fault

    def start(self) -> None:
        """Replace all zygotes."""
        self.settle()
        for pair in self.pairs:
            pair.start()
        if self.in_turns and self._behind is None:
            self._behind = ThreadPoolExecutor(1, thread_name_prefix="behind")

    def stop(self) -> None:
        """End all zygotes; what goes on behind loses them and gives up."""
        behind, self._behind = self._behind, None
        for _ in range(2):  # a zygote may have been launched again meanwhile
            for pair in self.pairs:
                pair.stop()
            if behind is not None:
                behind.shutdown(cancel_futures=True)

    def _is_busy(self, pair: Pair) -> bool:
        pending = self._pending.get(id(pair))
        return pending is not None and not pending.done()

    def _wait(self, pair: Pair) -> None:
        pending = self._pending.get(id(pair))
        if pending is not None and not pending.cancelled():
            pending.result()

    def _do_behind(self, pair: Pair, stage: str, action: Callable[[], object]) -> None:
        if self._behind is not None:
            self._pending[id(pair)] = self._behind.submit(self._quietly, pair, stage, action)

    def _quietly(self, pair: Pair, stage: str, action: Callable[[], object]) -> None:
        with self.quiet:
            began = time.monotonic()
            try:
                action()
            except (HostLostError, OSError) as error:
                self._fault = self._fault or f"behind a job: {error}"
                pair.stop()
            self.seconds[stage] += time.monotonic() - began
