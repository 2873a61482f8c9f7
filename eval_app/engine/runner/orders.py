"""The runner's side of an order: arguments made in advance, all calls made together, results left in place.

On a GPU the judge reads results in place: there is no copy here that a candidate could save. On a CPU they are copied
to the judge's buffers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from eval_app.engine.runner.faults import StructureError
from eval_app.engine.shared import cudart
from eval_app.engine.shared.arena import Arena, Slot
from eval_app.engine.shared.gate import Gate
from eval_app.engine.shared.order import (
    OrderedCall,
    OtherResultError,
    call_all,
    copy_results,
    require_alike,
    tensors_of,
)
from eval_app.engine.shared.trees import unflatten


class Orders:
    """The calls of the present order and their results, which stay until the next one."""

    def __init__(self) -> None:
        """Start without calls."""
        self._calls: list[OrderedCall] = []
        self._targets: list[list[torch.Tensor]] = []
        self._results: list[Any] = []

    def stage(self, order: dict[str, Any], arena: Arena) -> dict[str, Any]:
        """Make the arguments of the calls from the buffers, whose values arrive later."""
        self._results = []
        self._calls, self._targets = [], []
        for call in order["calls"]:
            views = [arena.tensor(Slot.from_dict(slot)) for slot in call["tensors"]]
            self._calls.append(OrderedCall(list(unflatten(call["inputs"], views)), None))
            self._targets.append([arena.tensor(Slot.from_dict(slot)) for slot in call["outputs"]])
        return {"ok": True}

    def make(self, model: Any, order: dict[str, Any], arena: Arena, gate: Gate | None) -> dict[str, Any]:
        """Make the calls; on a GPU queue them behind the gate and return where their results will be.

        The seeds come now: who knew them before could draw the random numbers outside of the judge's time. Raises
        StructureError for results of another type or shape.
        """
        try:
            return self._make(model, order, arena, gate)
        except OtherResultError as error:
            raise StructureError(str(error)) from error

    def _make(self, model: Any, order: dict[str, Any], arena: Arena, gate: Gate | None) -> dict[str, Any]:
        self._calls = [  # within the judge's time: as little as possible for tasks without random numbers
            call if seed is None else replace(call, seed=seed)
            for call, seed in zip(self._calls, order["seeds"], strict=True)
        ]
        if gate is None:
            self._results = call_all(model, self._calls)
            return {"ok": True, "layouts": copy_results(self._results, self._targets)}
        # The values of a part come once the results of the part before are out of reach.
        parts = [[call] for call in self._calls] if order["one_by_one"] else [self._calls]
        self._results = []
        for number, calls in enumerate(parts, order["number"]):
            gate.wait(number)
            self._results += call_all(model, calls)
            gate.say_done(number)
        results = list(map(tensors_of, self._results))
        for tensors, targets in zip(results, self._targets, strict=True):
            for tensor, target in zip(tensors, targets, strict=True):
                require_alike(tensor, target)
        try:
            places = Places(arena)
            outputs = [[places.of(tensor) for tensor in tensors] for tensors in results]
        except cudart.CudaError as error:
            return {"ok": True, "unreadable": str(error)}
        return {"ok": True, "outputs": outputs, "blocks": places.handles}


class Places:
    """Places of tensors that another process can open: in the judge's buffers, or in blocks of this process."""

    def __init__(self, arena: Arena) -> None:
        """Start without blocks."""
        self._arena = arena
        self._blocks: list[tuple[int, int]] = []
        self.handles: list[str] = []

    def of(self, tensor: torch.Tensor) -> dict[str, Any]:
        """Return the place of `tensor`. Raises CudaError for memory that cannot be shared, or holds other numbers."""
        form = {"shape": list(tensor.shape), "stride": list(tensor.stride())}
        if not tensor.numel():
            return {"block": -1, "offset": 0, **form}
        if tensor.is_conj() or tensor.is_neg():
            raise cudart.CudaError("reading an output that is conjugated or negated when it is read", -1)
        if tensor.device.type != "cuda":
            raise cudart.CudaError("reading an output in host memory", -1)
        pointer = tensor.data_ptr()
        offset = self._arena.offset_of(pointer)
        if offset is not None:
            return {"block": -1, "offset": offset, **form}
        return self._in_block(pointer) | form

    def _in_block(self, pointer: int) -> dict[str, Any]:
        for index, (start, size) in enumerate(self._blocks):
            if start <= pointer < start + size:
                return {"block": index, "offset": pointer - start}
        start, size = cudart.address_range(pointer)
        self.handles.append(cudart.export_handle(start).hex())
        self._blocks.append((start, size))
        return {"block": len(self._blocks) - 1, "offset": pointer - start}
