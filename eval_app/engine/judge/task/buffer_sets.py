"""Sizes of the sets of buffers, which hold the inputs and outputs of one call each and are used in turn."""

from __future__ import annotations

from eval_app.engine.shared.arena import ALIGN_BYTES

# Places, a few bytes apart, at which a set's first tensor may lie.
JITTER = 8
_MAX_COUNT = 16
_TOTAL_BYTES = 2 * 2**30
# Two sets are kept up to this size together; beyond it one: inputs and outputs exist several times besides.
_PAIR_BYTES = 16 * 2**30
# Room in a set for outputs that grow with the values: half its size, and no more than this.
_GROWTH_BYTES = 2**30
_SLACK_BYTES = 64 * 1024
# Minimum size on a GPU, so that small inputs fall into different pages.
_GPU_BYTES = 2 * 2**20


def with_room(laid_out_bytes: int) -> int:
    """Return the bytes that a call takes in a set, with room for outputs that grow."""
    growth_bytes = min(laid_out_bytes // 2, _GROWTH_BYTES)
    return laid_out_bytes + growth_bytes + _SLACK_BYTES + JITTER * ALIGN_BYTES


def size_bytes(needed_bytes: int, *, on_gpu: bool) -> int:
    """Return the size of a set, a multiple of the alignment."""
    needed_bytes = max(needed_bytes, _GPU_BYTES if on_gpu else 0)
    return -(-needed_bytes // ALIGN_BYTES) * ALIGN_BYTES


def count(set_bytes: int) -> int:
    """Return how many sets of a size there are."""
    least = 1 if 2 * set_bytes > _PAIR_BYTES else 2
    return max(least, many(set_bytes))


def many(set_bytes: int) -> int:
    """Return how many sets of a size are kept without need; 0 for large ones."""
    return min(_MAX_COUNT, _TOTAL_BYTES // set_bytes)
