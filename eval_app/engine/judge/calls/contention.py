"""Contention: work in the judge's process while the candidate runs, to change its timing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_SIDE = {"cpu": 192, "cuda": 2048}
_THREADS = {"cpu": 2, "cuda": 1}


@contextmanager
def busy(device: torch.device) -> Iterator[None]:
    """Multiply matrices during the block: in two threads on a CPU, in one that keeps its stream busy on a GPU."""
    stop = threading.Event()
    workers = [
        threading.Thread(target=_multiply, args=(device, stop), daemon=True)
        for _ in range(_THREADS[device.type])
    ]
    for worker in workers:
        worker.start()
    try:
        yield
    finally:
        stop.set()
        for worker in workers:
            worker.join()


def _multiply(device: torch.device, stop: threading.Event) -> None:
    side = _SIDE[device.type]
    stream = torch.cuda.Stream(device) if device.type == "cuda" else None
    with torch.no_grad(), torch.cuda.stream(stream):
        matrix = torch.ones(side, side, device=device)
        while not stop.wait(0.0005):
            torch.mm(matrix, matrix)
            if stream is not None:
                stream.synchronize()
