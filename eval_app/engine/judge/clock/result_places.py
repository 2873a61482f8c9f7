"""Where a runner says that its results lie: it may say anything; the judge reads nothing outside of what is shared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from eval_app.engine.judge.calls.runner_channel import forged
from eval_app.engine.judge.clock.order_draw import DrawnCall
from eval_app.engine.judge.verdicts import RejectedError, UnreadableError
from eval_app.engine.shared import cudart


class ResultPlaces:
    """The blocks of one runner's memory that the judge has opened; they stay open for later orders."""

    def __init__(self, shares_input: Callable[[int], bool]) -> None:
        """Start without blocks; `shares_input` says of an output's number whether it may lie in inputs."""
        self._opened: dict[str, torch.Tensor] = {}
        self._shares_input = shares_input
        # The judge's own buffers, in which results may lie as well, shape [bytes], uint8.
        self.buffers = torch.empty(0, dtype=torch.uint8)

    def read(self, answer: dict[str, Any], calls: list[DrawnCall]) -> list[torch.Tensor]:
        """Return the results as tensors over the memory in which the runner's process has them."""
        if "unreadable" in answer:
            raise UnreadableError(str(answer["unreadable"])[:200])
        blocks, outputs = answer.get("blocks"), answer.get("outputs")
        if not isinstance(blocks, list) or not isinstance(outputs, list) or len(outputs) != len(calls):
            raise forged("an answer without the places of its results")
        if len(blocks) > sum(len(call.truth) for call in calls):
            raise forged("more blocks of memory than results")
        opened = [self._open(handle) for handle in blocks]
        views = []
        for call, places in zip(calls, outputs, strict=True):
            if not isinstance(places, list) or len(places) != len(call.truth):
                raise RejectedError("wrong_structure", "a call of an order returns another number of tensors")
            views += [
                self._view(number, place, truth, opened)
                for number, (place, truth) in enumerate(zip(places, call.truth, strict=True))
            ]
        return views

    def _open(self, handle: Any) -> torch.Tensor:
        """Return a block of the runner's, shape [bytes], uint8."""
        if not isinstance(handle, str) or len(handle) != 128:
            raise forged("a malformed handle")
        if handle not in self._opened:
            try:
                address = cudart.open_handle(bytes.fromhex(handle))
                base, size = cudart.address_range(address)
                self._opened[handle] = cudart.as_tensor(address, base + size - address)
            except (cudart.CudaError, ValueError) as error:
                raise UnreadableError(str(error)) from error
        return self._opened[handle]

    def _view(self, output: int, place: Any, truth: torch.Tensor, opened: list[torch.Tensor]) -> torch.Tensor:
        number, offset, shape, stride = _read_place(place, len(opened))
        if shape != list(truth.shape):
            expected = f"the reference gives {list(truth.shape)}"
            raise RejectedError("wrong_structure", f"a call of an order returns {shape}; {expected}")
        if not truth.numel():
            return torch.empty_like(truth)
        reach = sum((n - 1) * step for n, step in zip(truth.shape, stride, strict=True)) + 1
        end = offset + reach * truth.element_size()
        if number < 0 and not self._shares_input(output):
            raise UnreadableError(
                "those of consecutive calls lie in their inputs, and those of single calls do not"
            )
        block = opened[number] if number >= 0 else self.buffers
        if end > block.numel() or offset % truth.element_size():
            raise forged("a place outside its block, or between two elements")
        return block[offset:end].view(truth.dtype).as_strided(truth.shape, stride)


def _read_place(place: Any, blocks: int) -> tuple[int, int, list[int], list[int]]:
    """Return a place's block, offset in it, shape and stride."""
    form = place if isinstance(place, dict) else {}
    block, offset, shape, stride = (form.get(name) for name in ("block", "offset", "shape", "stride"))
    if not isinstance(shape, list) or not isinstance(stride, list) or len(shape) != len(stride):
        raise forged("a malformed place")
    numbers = [block, offset, *shape, *stride]
    if any(isinstance(n, bool) or not isinstance(n, int) or not -1 <= n < 2**48 for n in numbers):
        raise forged("a malformed place")
    if numbers[0] >= blocks or min(numbers[1:]) < 0:
        raise forged("a malformed place")
    return numbers[0], numbers[1], shape, stride
