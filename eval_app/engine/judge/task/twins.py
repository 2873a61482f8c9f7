"""The reference's copies of its inputs, which lie in memory as the candidate's inputs do.

On a GPU a call's time depends on where its inputs lie. With copies that torch placed one by one, an H100 took 2.3 %
longer for a layer norm of 128 MiB as the reference than as the candidate, and 0.9 % longer for a product of 2048 x 2048
(`benchmarks/timing_repeatability.py`, one program against itself).
"""

from __future__ import annotations

import secrets

import torch

from eval_app.engine.judge.task import buffer_sets
from eval_app.engine.shared.arena import ALIGN_BYTES, Arena, lay_out
from eval_app.engine.shared.trees import TensorSpec


class Twins:
    """Gives tensors for the copies; each call's lie at another place, as the candidate's do."""

    def __init__(self, device: torch.device) -> None:
        """Store the device of the inputs."""
        self._device = device
        self._arena: Arena | None = None

    def of(self, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        """Return tensors like `tensors`: on a CPU with their values, on a GPU without, since these come just before the
        call."""
        specs = [TensorSpec.of(tensor) for tensor in tensors]
        if self._device.type == "cuda":
            return self._on_gpu(specs)
        slots, size = lay_out(specs)
        if self._arena is None or self._arena.size < size:
            # Shared memory, which has the small pages of the candidate's inputs.
            self._arena = Arena.create(size, self._device)
        twins = [self._arena.tensor(slot) for slot in slots]
        for twin, tensor in zip(twins, tensors, strict=True):
            twin.copy_(tensor)
        return twins

    def _on_gpu(self, specs: list[TensorSpec]) -> list[torch.Tensor]:
        size = lay_out(specs)[1] + buffer_sets.JITTER * ALIGN_BYTES
        set_bytes = buffer_sets.size_bytes(size, on_gpu=True)
        sets = buffer_sets.many(set_bytes)
        arena = self._arena
        if arena is None or arena.size < set_bytes * max(1, sets):
            arena = Arena.private(set_bytes * max(1, sets), self._device)
        # Large inputs are not kept between calls: the reference needs the memory.
        self._arena = arena if sets else None
        start = (
            secrets.randbelow(max(1, sets)) * set_bytes + secrets.randbelow(buffer_sets.JITTER) * ALIGN_BYTES
        )
        return [arena.tensor(slot) for slot in lay_out(specs, start)[0]]
