"""The reference's turn at an order: calls are drawn and answered while the candidate is frozen, on a quiet device."""

from __future__ import annotations

import math

from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.clock.foreign_work import Watch
from eval_app.engine.judge.clock.order_draw import Draw, answer, draw
from eval_app.engine.judge.task.cases import CaseMaker
from eval_app.engine.judge.task.reference import require_context
from eval_app.engine.judge.verdicts import ReferenceFaultError

# How much longer than in another order copying may take.
_COPYING_ROOM = 1.05


class ReferenceTurn:
    """Takes the turns of all orders of a candidate."""

    def __init__(self, maker: CaseMaker, trials: Trials, watch: Watch, *, seeded: bool) -> None:
        """Store what draws and answers; `seeded` is set for a task that draws random numbers."""
        self._maker, self._trials, self._watch, self._seeded = maker, trials, watch, seeded
        # The least that copying and its gaps took, in milliseconds per byte, in orders of as many calls.
        self._least_copying: dict[tuple[str, int], float] = {}

    def take(self, count: int, size: int, every: int, *, one_by_one: bool) -> Draw:
        """Return up to `count` calls whose inputs fit `size` bytes, with the reference's answers and times.

        The device is looked at right before and right after: drawing takes a while, and work that a candidate queued
        behind copies may begin or end meanwhile.
        """
        while True:
            drawn = self._answered(count, size, every, one_by_one=one_by_one)
            if self._watch.is_quiet():
                self._bound_copying(drawn)
                return drawn
            del drawn  # values and answers of large calls are a good part of the device

    def _answered(self, count: int, size: int, every: int, *, one_by_one: bool) -> Draw:
        """Return calls and answers; all are of the task's own values if the reference rejects those of a family, as it
        may by chance. Raises ReferenceFaultError if it fails on its own."""
        mixed = self._trials.families
        while True:
            drawn = draw(
                self._maker, count, size, mixed, seeded=self._seeded, every=every, one_by_one=one_by_one
            )
            while not self._watch.is_quiet():
                pass
            try:
                answer(drawn, self._maker, beside_others=self._watch.beside_others)
            except ReferenceFaultError as error:
                require_context(error)
                if not mixed:
                    raise
                mixed = []
            else:
                return drawn

    def _bound_copying(self, drawn: Draw) -> None:
        """Lower what the order's copies took, which is taken off the candidate's time, to little more than in another
        order (GPU): copies that the candidate queued before would lengthen it."""
        if self._maker.reference.device.type == "cpu" or drawn.one_by_one:
            return
        size = drawn.values.numel() + sum(truth.nbytes for call in drawn.calls for truth in call.truth)
        count = len(drawn.calls)
        for name in ("copying_ms", "gaps_ms"):
            taken_ms = getattr(drawn, name)
            least = min(self._least_copying.get((name, count), math.inf), taken_ms / max(size, 1))
            self._least_copying[name, count] = least
            setattr(drawn, name, min(taken_ms, _COPYING_ROOM * least * size))
