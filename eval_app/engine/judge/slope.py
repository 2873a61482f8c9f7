"""What one call costs by the judge's own clock: the slope between few and many calls in a row, every output compared.

A candidate that rewrites the code around it can say any time. It cannot hand in right outputs of values that it has not
yet seen: each batch's values are laid out right before it is told to go. What handling an item costs without any work
is measured in the judge with a function that does nothing, and taken off.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch

from eval_app.engine.judge.batches import batch_size, go, stage
from eval_app.engine.judge.cases import Case, CaseMaker
from eval_app.engine.judge.session import Session
from eval_app.engine.judge.statistics import median
from eval_app.engine.judge.trials import Trials
from eval_app.engine.judge.verdicts import RejectedError
from eval_app.engine.shared.batch import BatchItem, run_batch

_FEW = 2
_MANY = 24
_ROUNDS = 3
_BUDGET_S = 3.0
# A large batch is to end before a host takes the processor away.
_BATCH_MS = 3.0
# A slower call is seen well enough by the clock around a single one.
_SLOW_MS = 3.0
# How much longer than its claim a call may take in a row, and what the clock cannot tell.
_RATIO = 2.0
_SLACK_MS = {"cpu": 0.10, "cuda": 0.03}


# Processor seconds so far.
Busy = Callable[[], float]


@dataclass(frozen=True)
class Slope:
    """Milliseconds a call by the judge's clock, handling taken off; how many calls it rests on."""

    per_call_ms: float
    handling_ms: float
    calls: int

    def text(self) -> str:
        """For the report's method."""
        return (
            f"; the judge's own clock over {self.calls} verified calls in a row: {max(self.per_call_ms, 0):.4f} ms a "
            f"call after {self.handling_ms:.4f} ms of handling"
        )


class Batches:
    """Runs batches through one session, and knows what is allowed."""

    def __init__(self, session: Session, maker: CaseMaker, trials: Trials, busy_s: Busy | None) -> None:
        """`busy_s` gives the processor seconds that the runner's sandbox has used; None on a GPU."""
        self._session, self._maker, self._trials, self._busy_s = session, maker, trials, busy_s
        self._on_gpu = maker.reference.device.type == "cuda"

    def measure(self, claim_ms: float) -> Slope | None:
        """The slope, or None where it would tell nothing: slow calls, few that fit the buffers.

        A busy host only ever adds to a batch's time: more are run while the slope looks too high, and the shortest
        counts. On a CPU the runner's processor time, which the orchestrator reads, is the last word: no neighbour adds
        to that.
        """
        most = self._most(claim_ms)
        if most < 2 * _FEW:
            return None
        many = max(2 * _FEW, min(most, _FEW + int(_BATCH_MS / max(claim_ms, 1e-3))))
        self._one(many)
        allowed_ms, deadline = (
            allowed(claim_ms, self._maker.reference.device.type),
            time.perf_counter() + _BUDGET_S,
        )
        rounds = [self._round(many) for _ in range(_ROUNDS)]
        while _slope(rounds, many).per_call_ms > allowed_ms and time.perf_counter() < deadline:
            rounds.append(self._round(many))
        found = _slope(rounds, many)
        return self._by_processor(most, found) if found.per_call_ms > allowed_ms and self._busy_s else found

    def _most(self, claim_ms: float) -> int:
        """How many calls a batch may have; 0 where it is not asked for."""
        if claim_ms > _SLOW_MS or (self._on_gpu and self._session.transport != "cuda_ipc"):
            return 0
        first = self._maker.make()
        if first.mutates or any("tensor" not in form for _, form in first.wanted):
            return 0
        return min(_MANY, batch_size(self._session, first))

    def _by_processor(self, many: int, wall: Slope) -> Slope:
        rounds = [(self._one(_FEW).busy_ms, self._one(many).busy_ms, 0.0) for _ in range(_ROUNDS)]
        return replace(wall, per_call_ms=min(wall.per_call_ms, _slope(rounds, many).per_call_ms))

    def _round(self, many: int) -> tuple[float, float, float]:
        """Milliseconds of a small batch, of a large one, and of handling an item."""
        few, lots = self._one(_FEW, quick=True), self._one(many, quick=True)
        return few.wall_ms, lots.wall_ms, lots.handling_ms

    def _one(self, count: int, *, quick: bool = False) -> _Batch:
        """One batch on fresh values; `quick` leaves the processor time out."""
        cases = [self._maker.make() for _ in range(count)]
        items = stage(self._session, cases)
        handling_ms = _handling_ms(cases, items, on_gpu=self._on_gpu) if count > _FEW else 0.0
        busy_s = self._busy_s if not quick and self._busy_s else _nothing
        before_s = busy_s()
        wall_ms = go(self._session, cases, items)
        busy_ms = (busy_s() - before_s) * 1e3
        for case, item in zip(cases, items, strict=True):
            self._trials.check_batched(case, item.outputs)
        return _Batch(wall_ms, busy_ms, handling_ms)


@dataclass(frozen=True)
class _Batch:
    wall_ms: float
    busy_ms: float
    handling_ms: float


def _nothing() -> float:
    return 0.0


def _slope(rounds: list[tuple[float, float, float]], many: int) -> Slope:
    few, lots, handling = (list(column) for column in zip(*rounds, strict=True))
    per_call_ms = (min(lots) - median(few)) / (many - _FEW) - median(handling)
    return Slope(per_call_ms, median(handling), len(rounds) * (many + _FEW))


def allowed(claim_ms: float, device_kind: str) -> float:
    """The most that a call may add, by the judge's clock, where the runner says `claim_ms`."""
    return _RATIO * claim_ms + _SLACK_MS[device_kind]


def _handling_ms(cases: list[Case], items: list[BatchItem], *, on_gpu: bool) -> float:
    """The same loop with a function that hands out finished results, by the same difference; milliseconds an item."""
    ready: Iterator[list[torch.Tensor]] = iter([])

    def nothing(*_: Any) -> list[torch.Tensor]:
        return next(ready)

    def clock(count: int) -> float:
        nonlocal ready
        ready = iter([case.truth for case in cases[:count]])
        started = time.perf_counter_ns()
        run_batch(nothing, items[:count], _copy, on_gpu=on_gpu)
        return (time.perf_counter_ns() - started) / 1e6

    clock(len(items))
    return max(0.0, clock(len(items)) - clock(1)) / max(1, len(items) - 1)


def _copy(result: list[torch.Tensor], item: BatchItem) -> None:
    for tensor, target in zip(result, item.outputs, strict=True):
        target.copy_(tensor)


def judge(slope: Slope, claim_ms: float, device_kind: str) -> None:
    """RejectedError where a call takes far longer than the runner says."""
    allowed_ms = allowed(claim_ms, device_kind)
    if slope.per_call_ms > allowed_ms:
        text = (
            f"the runner says {claim_ms:.4f} ms a call; in a row, by the judge's own clock, each call adds "
            f"{slope.per_call_ms:.4f} ms, and {allowed_ms:.4f} ms is the most that can be explained"
        )
        raise RejectedError("cheated", text, [("clock_mismatch", text)])
