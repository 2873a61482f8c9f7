"""What one call costs by the judge's own clock: the slope between few and many calls in a row, every output compared.

A candidate that rewrites the code around it can say any time. It cannot hand in right outputs of values that it has not
yet seen: each batch's values are laid out right before it is told to go. What handling an item costs without any work
is measured in the judge with a function that does nothing, and taken off.

What remains: a candidate that says half of what it takes, or a tenth of a millisecond less (CPU). On a GPU 0.03 ms
less, and what copying its output crosswise takes longer than straight; 0.4 ms where it waits for the device between its
calls or its launches take longer than the work.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from eval_app.engine.judge.batches import batch_size, go, stage
from eval_app.engine.judge.cases import Case, CaseMaker
from eval_app.engine.judge.session import Session
from eval_app.engine.judge.statistics import median
from eval_app.engine.judge.trials import Trials
from eval_app.engine.judge.verdicts import RejectedError
from eval_app.engine.shared.batch import SHADOW_MS, BatchItem, run_batch

_FEW = 2
_MANY = 24
_ROUNDS = 3
_BUDGET_S = 3.0
# Calls that are said to take long need not be many.
_BATCH_MS = 10.0
# A slower call is seen well enough by the clock around a single one; on a busy host later.
_SLOW_MS = {"cpu": 50.0, "cuda": 3.0}
# How much longer than its claim a call may take in a row, and what the clock cannot tell.
_RATIO = 2.0
_SLACK_MS = {"cpu": 0.10, "cuda": 0.03}
# The same where the candidate waits for the device between its calls, or takes long to launch them: its host work then
# stands between them, which its events do not see.
_WAITING_SLACK_MS = 0.4
# Calls that were queued in this share of the device's first wait were queued without waiting.
_QUEUED_SHARE = 0.7

# Processor seconds so far.
Busy = Callable[[], float]


@dataclass(frozen=True)
class BatchTiming:
    """Milliseconds a call by the judge's clock, handling taken off; how many calls it rests on."""

    per_call_ms: float
    handling_ms: float
    calls: int
    # Whether the host stood between the calls on a GPU.
    waits: bool = False

    def text(self) -> str:
        """For the report's method."""
        return (
            f"; the judge's own clock over {self.calls} verified calls in a row: {max(self.per_call_ms, 0):.4f} ms a "
            f"call after {self.handling_ms:.4f} ms of handling"
            + (", its waits for the device included" if self.waits else "")
        )


class BatchTimer:
    """Runs batches through one session, and knows what is allowed."""

    def __init__(self, session: Session, maker: CaseMaker, trials: Trials, busy_s: Busy | None) -> None:
        """`busy_s` gives the processor seconds that the runner's sandbox has used; None on a GPU."""
        self._session, self._maker, self._trials, self._busy_s = session, maker, trials, busy_s
        self._on_gpu = maker.reference.device.type == "cuda"

    def measure(self, claim_ms: float) -> BatchTiming | None:
        """The slope, or None where it would tell nothing: slow calls, few that fit the buffers.

        A busy host only ever adds to a batch's time: more are run while the slope looks too high, and the shortest
        count. On a CPU the time is at most the runner's processor time, which the orchestrator reads from outside: a
        neighbour hardly adds to that, and no work can be done without it.
        """
        most = self._most(claim_ms)
        if most < 2 * _FEW:
            return None
        many = self._fitting(max(2 * _FEW, min(most, _FEW + int(_BATCH_MS / max(claim_ms, 1e-3)))))
        deadline = time.perf_counter() + _BUDGET_S
        rounds = [self._round(many) for _ in range(_ROUNDS)]
        while (
            self._too_long(_combine(rounds, many, on_gpu=self._on_gpu), claim_ms)
            and time.perf_counter() < deadline
        ):
            rounds.append(self._round(many))
        return _combine(rounds, many, on_gpu=self._on_gpu)

    def _too_long(self, timing: BatchTiming, claim_ms: float) -> bool:
        return timing.per_call_ms > max_per_call_ms(
            claim_ms, self._maker.reference.device.type, waits=timing.waits
        )

    def _fitting(self, many: int) -> int:
        """On a GPU so many calls as can be queued in the device's first wait."""
        queued_ms = self._run_batch(many).queued_ms
        if not self._on_gpu or queued_ms < _QUEUED_SHARE * SHADOW_MS:
            return many
        return max(2 * _FEW, int(many * (_QUEUED_SHARE - 0.1) * SHADOW_MS / queued_ms))

    def _most(self, claim_ms: float) -> int:
        """How many calls a batch may have; 0 where it is not asked for."""
        if claim_ms > _SLOW_MS[self._maker.reference.device.type]:
            return 0
        if self._on_gpu and self._session.transport != "cuda_ipc":
            return 0
        first = self._maker.make()
        if first.mutates or any("tensor" not in form for _, form in first.wanted):
            return 0
        return min(_MANY, batch_size(self._session, first))

    def _round(self, many: int) -> tuple[_Batch, _Batch]:
        """A small batch and a large one."""
        return self._run_batch(_FEW), self._run_batch(many)

    def _run_batch(self, count: int) -> _Batch:
        """One batch on fresh values."""
        cases = [self._maker.make() for _ in range(count)]
        items = stage(self._session, cases)
        handling_ms = _handling_ms(cases, items, on_gpu=self._on_gpu) if count > _FEW else 0.0
        before_s = self._busy_s() if self._busy_s else 0.0
        queued_ms, total_ms = go(self._session, cases, items)
        if self._busy_s:
            # Whichever is less: a neighbour adds to the one, threads of the candidate's own to the other.
            total_ms = min(total_ms, (self._busy_s() - before_s) * 1e3)
        for case, item in zip(cases, items, strict=True):
            self._trials.check_batched(case, item.outputs)
        return _Batch(total_ms, queued_ms, handling_ms)


@dataclass(frozen=True)
class _Batch:
    total_ms: float
    # Until all calls were queued.
    queued_ms: float
    handling_ms: float


def _combine(rounds: list[tuple[_Batch, _Batch]], many: int, *, on_gpu: bool) -> BatchTiming:
    handling_ms = median([large.handling_ms for _, large in rounds])
    added_ms = min(large.total_ms for _, large in rounds) - min(small.total_ms for small, _ in rounds)
    waits = on_gpu and min(large.queued_ms for _, large in rounds) > _QUEUED_SHARE * SHADOW_MS
    return BatchTiming(
        added_ms / (many - _FEW) - handling_ms, handling_ms, len(rounds) * (many + _FEW), waits
    )


def max_per_call_ms(claim_ms: float, device_kind: str, *, waits: bool = False) -> float:
    """The most that a call may add, by the judge's clock, where the runner says `claim_ms`."""
    waiting = waits and device_kind == "cuda"
    return _RATIO * claim_ms + (_WAITING_SLACK_MS if waiting else _SLACK_MS[device_kind])


def _handling_ms(cases: list[Case], items: list[BatchItem], *, on_gpu: bool) -> float:
    """The same loop with a function that hands out finished results, by the same difference; milliseconds an item.

    The results lie crosswise in memory: taking over a transposed view is the engine's work, not the candidate's.
    """
    finished = [[_crosswise(truth) for truth in case.truth] for case in cases[:2]]
    ready: Iterator[list[torch.Tensor]] = iter([])

    def nothing(*_: Any) -> list[torch.Tensor]:
        return next(ready)

    def clock(count: int) -> float:
        nonlocal ready
        ready = itertools.islice(itertools.cycle(finished), count)
        started = time.perf_counter_ns()
        run_batch(nothing, items[:count], _copy, on_gpu=on_gpu)
        if on_gpu:
            torch.cuda.synchronize()
        return (time.perf_counter_ns() - started) / 1e6

    clock(len(items))
    return max(0.0, clock(len(items)) - clock(1)) / max(1, len(items) - 1)


def _crosswise(tensor: torch.Tensor) -> torch.Tensor:
    """The same values, its first and last dimension exchanged in memory."""
    return tensor.transpose(0, -1).contiguous().transpose(0, -1) if tensor.dim() > 1 else tensor


def _copy(result: list[torch.Tensor], item: BatchItem) -> None:
    for tensor, target in zip(result, item.outputs, strict=True):
        target.copy_(tensor)


def check_claim(timing: BatchTiming, claim_ms: float, device_kind: str) -> None:
    """RejectedError where a call takes far longer than the runner says."""
    allowed_ms = max_per_call_ms(claim_ms, device_kind, waits=timing.waits)
    if timing.per_call_ms > allowed_ms:
        text = (
            f"the runner says {claim_ms:.4f} ms a call; in a row, by the judge's own clock, each call adds "
            f"{timing.per_call_ms:.4f} ms, and {allowed_ms:.4f} ms is the most that can be explained"
        )
        raise RejectedError("cheated", text, [("clock_mismatch", text)])
