"""Batches of consecutive calls: the runner learns the buffers in advance and the values only at the start."""

from __future__ import annotations

import torch

from eval_app.engine.judge.cases import Case
from eval_app.engine.judge.session import Session, item_order
from eval_app.engine.shared.arena import ALIGN_BYTES, POISON
from eval_app.engine.shared.batch import BatchItem


def batch_size(session: Session, case: Case) -> int:
    """Return how many cases of this size fit the buffers side by side."""
    return session.arena.size // (session.layout(case, 0)[2] + ALIGN_BYTES)


def stage(session: Session, cases: list[Case]) -> list[BatchItem]:
    """Announce the buffers of the next batch to the runner while they are still empty."""
    start, orders, items = 0, [], []
    for case in cases:
        placed, slots, end = session.layout(case, start)
        start = -(-end // ALIGN_BYTES) * ALIGN_BYTES
        session.poison(slots)
        orders.append(item_order(case, placed))
        views = [
            [session.arena.tensor(s) for s in part]
            for part in (placed.inputs, placed.sources, placed.outputs)
        ]
        items.append(BatchItem([], *views))
    session.settle()
    session.order({"op": "stage", "items": orders})
    return items


def go(session: Session, cases: list[Case], items: list[BatchItem]) -> tuple[float, float]:
    """Write the values and run the staged batch; return the milliseconds until all is queued and until all is done."""
    for case, item in zip(cases, items, strict=True):
        for output in item.outputs:
            output.copy_(_poison_value(output.dtype))
        for target, tensor in zip(item.sources, case.tensors, strict=True):
            target.copy_(tensor)
    session.settle()
    queued_ms = session.order({"op": "go"}, more_s=1.0)
    return queued_ms, queued_ms + session.order({"op": "done"}, more_s=1.0)


def _poison_value(dtype: torch.dtype) -> torch.Tensor:
    """Return one element of poison, shape [], because the judge's own rehearsal has left correct values in
    the buffers."""
    return torch.full((dtype.itemsize,), POISON, dtype=torch.uint8).view(dtype)[0]
