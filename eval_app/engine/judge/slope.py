"""What one call costs by the judge's own clock: the slope between few and many calls in a row, every output compared.

A candidate that rewrites the code around it can say any time. It cannot hand in right outputs of values that it has not
yet seen: each batch's values are laid out right before it is told to go. What handling an item costs without any work
is measured in the judge with a function that does nothing, and taken off.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
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


def measure(session: Session, maker: CaseMaker, trials: Trials, claim_ms: float) -> Slope | None:
    """The slope, or None where it would tell nothing: slow calls, few that fit the buffers.

    A busy host only ever adds to a batch's time: more are run while the slope looks too high, and the shortest counts.
    """
    on_gpu = maker.reference.device.type == "cuda"
    if claim_ms > _SLOW_MS or (on_gpu and session.transport != "cuda_ipc"):
        return None
    first = maker.make()
    many = min(_MANY, batch_size(session, first), _FEW + int(_BATCH_MS / max(claim_ms, 1e-3)))
    if many < 2 * _FEW or first.mutates or any("tensor" not in form for _, form in first.wanted):
        return None
    _one(session, maker, trials, many)
    allowed_ms, deadline = allowed(claim_ms, maker.reference.device.type), time.perf_counter() + _BUDGET_S
    rounds = [_round(session, maker, trials, many) for _ in range(_ROUNDS)]
    while _slope(rounds, many).per_call_ms > allowed_ms and time.perf_counter() < deadline:
        rounds.append(_round(session, maker, trials, many))
    return _slope(rounds, many)


def _round(session: Session, maker: CaseMaker, trials: Trials, many: int) -> tuple[float, float, float]:
    """Milliseconds of a small batch, of a large one, and of handling an item."""
    few_ms, _ = _one(session, maker, trials, _FEW)
    return few_ms, *_one(session, maker, trials, many)


def _slope(rounds: list[tuple[float, float, float]], many: int) -> Slope:
    few, lots, handling = (list(column) for column in zip(*rounds, strict=True))
    per_call_ms = (min(lots) - median(few)) / (many - _FEW) - median(handling)
    return Slope(per_call_ms, median(handling), len(rounds) * (many + _FEW))


def allowed(claim_ms: float, device_kind: str) -> float:
    """The most that a call may add, by the judge's clock, where the runner says `claim_ms`."""
    return _RATIO * claim_ms + _SLACK_MS[device_kind]


def _one(session: Session, maker: CaseMaker, trials: Trials, count: int) -> tuple[float, float]:
    """One batch: the judge's milliseconds for it, and those of handling an item."""
    cases = [maker.make() for _ in range(count)]
    items = stage(session, cases)
    handling_ms = _handling_ms(cases, items, on_gpu=maker.reference.device.type == "cuda")
    wall_ms = go(session, cases, items)
    for case, item in zip(cases, items, strict=True):
        trials.check_batched(case, item.outputs)
    return wall_ms, handling_ms


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
