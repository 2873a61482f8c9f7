"""Time per call by the judge's own clock: the difference between few and many consecutive calls, every output
compared.

A candidate that rewrites the code around it can claim any time. It cannot return correct outputs for values
that it has not seen: each batch's values are written just before it starts. The cost of handling an item
without work is measured in the judge with an empty function and subtracted.

Undetected remain: claims of half the true time, or of a tenth of a millisecond less (CPU). On a GPU 0.03 ms
less, plus the extra time of copying an output transposed; 0.4 ms if the candidate waits for the device
between calls or its launches take longer than the work.
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
# Slow calls need fewer repetitions.
_BATCH_MS = 10.0
# Slower calls are measured well enough by the clock around a single one; on a busy host that limit is higher.
_SLOW_MS = {"cpu": 50.0, "cuda": 3.0}
# Tolerated ratio to the claimed time, and resolution of the clock.
_RATIO = 2.0
_SLACK_MS = {"cpu": 0.10, "cuda": 0.03}
# Resolution if the candidate waits for the device between calls, or launches slowly: the host work between
# the calls is not covered by its events.
_WAITING_SLACK_MS = 0.4
# Calls queued within this share of the device's initial wait were queued without waiting.
_QUEUED_SHARE = 0.7

# Returns the processor seconds used so far.
Busy = Callable[[], float]


@dataclass(frozen=True)
class BatchTiming:
    """Milliseconds per call by the judge's clock, without handling, and the number of calls behind it."""

    per_call_ms: float
    handling_ms: float
    calls: int
    # Whether host work separated the calls on a GPU.
    waits: bool = False

    def text(self) -> str:
        """Describe the measurement for the report's method."""
        return (
            f"; the judge's own clock over {self.calls} consecutive verified calls: {max(self.per_call_ms, 0):.4f} ms "
            f"per call after subtracting {self.handling_ms:.4f} ms of handling"
            + (", its waits for the device included" if self.waits else "")
        )


class BatchTimer:
    """Times batches of calls through one session."""

    def __init__(self, session: Session, maker: CaseMaker, trials: Trials, busy_s: Busy | None) -> None:
        """Store the session; `busy_s` returns the processor seconds of the runner's sandbox, None on a GPU."""
        self._session, self._maker, self._trials, self._busy_s = session, maker, trials, busy_s
        self._on_gpu = maker.reference.device.type == "cuda"

    def measure(self, claim_ms: float) -> BatchTiming | None:
        """Return the time per call, or None if it cannot be determined: slow calls, or too few that fit the buffers.

        A busy host can only lengthen a batch: while the result looks too high, more batches are run, and the
        shortest count. On a CPU the time is at most the runner's processor time, which the orchestrator reads
        from outside: other processes hardly affect it, and no work can avoid it.
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
        """Return the number of calls that can be queued during a GPU's initial wait; `many` on a CPU."""
        queued_ms = self._run_batch(many).queued_ms
        if not self._on_gpu or queued_ms < _QUEUED_SHARE * SHADOW_MS:
            return many
        return max(2 * _FEW, int(many * (_QUEUED_SHARE - 0.1) * SHADOW_MS / queued_ms))

    def _most(self, claim_ms: float) -> int:
        """Return the maximum number of calls in a batch; 0 if batches do not apply."""
        if claim_ms > _SLOW_MS[self._maker.reference.device.type]:
            return 0
        if self._on_gpu and self._session.transport != "cuda_ipc":
            return 0
        first = self._maker.make()
        if first.mutates or any("tensor" not in form for _, form in first.wanted):
            return 0
        return min(_MANY, batch_size(self._session, first))

    def _round(self, many: int) -> tuple[_Batch, _Batch]:
        """Run a small batch and a large one."""
        return self._run_batch(_FEW), self._run_batch(many)

    def _run_batch(self, count: int) -> _Batch:
        """Run one batch on fresh values."""
        cases = [self._maker.make() for _ in range(count)]
        items = stage(self._session, cases)
        handling_ms = _handling_ms(cases, items, on_gpu=self._on_gpu) if count > _FEW else 0.0
        before_s = self._busy_s() if self._busy_s else 0.0
        queued_ms, total_ms = go(self._session, cases, items)
        if self._busy_s:
            # Take the smaller: other processes add to the former, the candidate's own threads to the latter.
            total_ms = min(total_ms, (self._busy_s() - before_s) * 1e3)
        for case, item in zip(cases, items, strict=True):
            self._trials.check_batched(case, item.outputs)
        return _Batch(total_ms, queued_ms, handling_ms)


@dataclass(frozen=True)
class _Batch:
    total_ms: float
    # Time until all calls were queued.
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
    """Return the largest plausible time per call, by the judge's clock, for a claim of `claim_ms`."""
    waiting = waits and device_kind == "cuda"
    return _RATIO * claim_ms + (_WAITING_SLACK_MS if waiting else _SLACK_MS[device_kind])


def _handling_ms(cases: list[Case], items: list[BatchItem], *, on_gpu: bool) -> float:
    """Return the milliseconds per item of the same loop with a function that returns finished results.

    The results are stored transposed: copying a transposed view is the engine's work, not the candidate's.
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
    """Return the same values and shape with first and last dimension exchanged in memory."""
    return tensor.transpose(0, -1).contiguous().transpose(0, -1) if tensor.dim() > 1 else tensor


def _copy(result: list[torch.Tensor], item: BatchItem) -> None:
    for tensor, target in zip(result, item.outputs, strict=True):
        target.copy_(tensor)


def confirmed_by(timing: BatchTiming | None, claim_ms: float, wall_ms: float) -> str:
    """Return which of the judge's clocks says that a call takes at most twice the claimed time; empty if neither.

    `wall_ms` is the clock around single calls, its handling included. A claim that is merely not contradicted,
    because the clock resolves no better, is not confirmed.
    """
    if timing is not None:
        return "consecutive calls" if timing.per_call_ms <= _RATIO * claim_ms else ""
    return "single calls" if wall_ms <= _RATIO * claim_ms else ""


def check_claim(timing: BatchTiming, claim_ms: float, device_kind: str) -> None:
    """Raise RejectedError if calls take far longer than the runner claims."""
    allowed_ms = max_per_call_ms(claim_ms, device_kind, waits=timing.waits)
    if timing.per_call_ms > allowed_ms:
        text = (
            f"the runner claims {claim_ms:.4f} ms per call; by the judge's own clock each consecutive call takes "
            f"{timing.per_call_ms:.4f} ms, and at most {allowed_ms:.4f} ms can be explained"
        )
        raise RejectedError("cheated", text, [("clock_mismatch", text)])
