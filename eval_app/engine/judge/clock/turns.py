"""The judge's copies around calls that come one by one: how many there are to queue, and what they take again."""

from __future__ import annotations

import torch

from eval_app.engine.judge.clock.device_queue import HEAD_STARTS, Dither, HeadStart, Stopwatch
from eval_app.engine.judge.clock.order_draw import PART_BYTES, DrawnCall, copy_in_random_order

# A call that comes alone takes as long as this many copies to queue, beside those of its tensors.
_COPIES_OF_TURN = 4
# A call, the host memory that its results are copied to, and where they lie.
Turn = tuple[DrawnCall, list[torch.Tensor], list[torch.Tensor]]


def copies_of(turns: list[Turn]) -> int:
    """Return how many copies take as long to queue as the turns."""
    count = 0
    for call, _, results in turns:
        size = call.place.stop - call.place.start + sum(result.nbytes for result in results)
        count += _COPIES_OF_TURN + 2 * len(results) + size // PART_BYTES
    return count


def weigh_copies(
    turns: list[Turn], place: torch.Tensor, values: torch.Tensor, head: HeadStart, dither: Dither
) -> tuple[list[float], bool]:
    """Return what the copies of each call take again, in milliseconds, and whether all were queued in time."""
    for _ in range(HEAD_STARTS):
        watch = Stopwatch()
        head.give_for_copies(copies_of(turns))
        for call, into, results in turns:
            dither()
            with watch:
                copy_in_random_order([place[call.place]], [values[call.place]])
                copy_in_random_order(into, results)
        if head.was_enough():
            return watch.times_ms(), True
    return watch.times_ms(), False
