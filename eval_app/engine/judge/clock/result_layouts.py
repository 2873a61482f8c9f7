"""The layouts in which a candidate leaves its results: how they are read, and what their gaps add to copying.

A view with gaps takes no time to make, and up to a cache line for each element to copy.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeGuard

import torch

from eval_app.engine.judge.calls.runner_channel import forged
from eval_app.engine.shared.order import in_layout_of
from eval_app.engine.shared.trees import TensorSpec

# No device's memory spans as much.
_SPAN_MAX_BYTES = 2**40
# Of results that span more, a part is copied and its time multiplied.
_COPIED_BYTES = 2**28


def in_own_layouts(
    results: list[list[torch.Tensor]], answer: dict[str, Any]
) -> tuple[list[list[torch.Tensor]], list[TensorSpec]]:
    """Return the results, dense, in the order of the strides that the runner says it found them with; and those specs.

    Raises RejectedError for layouts that no result has.
    """
    layouts = answer.get("layouts")
    if not isinstance(layouts, list):
        raise forged("an answer without the layouts of its results")
    specs = []
    for layout in layouts:
        call, index, stride = layout if isinstance(layout, list) and len(layout) == 3 else (None, None, None)
        if not (_is_index(call, len(results)) and _is_index(index, len(results[call]))):
            raise forged("a layout of no result")
        tensor = results[call][index]
        spec = TensorSpec(
            tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), _stride(stride, tensor)
        )
        specs.append(spec)
        results[call][index] = in_layout_of(_meta(spec), tensor)
    return results, specs


def specs_of(views: Sequence[torch.Tensor]) -> list[TensorSpec]:
    """Return the views' shapes, dtypes and strides, gaps included."""
    return [
        TensorSpec(tuple(view.shape), str(view.dtype).removeprefix("torch."), tuple(view.stride()))
        for view in views
    ]


def gaps_ms(specs: Sequence[TensorSpec], device: torch.device) -> float:
    """Return how much longer copying results of these layouts takes than copying dense ones, in milliseconds.

    It is measured on memory of the judge's own.
    """
    return sum(count * _gaps_ms(spec, device) for spec, count in Counter(specs).items() if has_gaps(spec))


def has_gaps(spec: TensorSpec) -> bool:
    """Return whether the strides reach memory that holds none of the elements."""
    return _span(spec.shape, spec.stride) > torch.Size(spec.shape).numel() > 0


def has_overlaps(spec: TensorSpec) -> bool:
    """Return whether elements share memory: the strides reach less than holds all of them."""
    return _span(spec.shape, spec.stride) < torch.Size(spec.shape).numel()


def _gaps_ms(spec: TensorSpec, device: torch.device) -> float:
    room = _COPIED_BYTES // spec.torch_dtype.itemsize // len(spec.shape)
    shape = [min(n, 1 + room // max(1, step)) for n, step in zip(spec.shape, spec.stride, strict=True)]
    memory = torch.zeros(_span(shape, spec.stride), dtype=spec.torch_dtype, device=device)
    source = memory.as_strided(shape, spec.stride)
    target = torch.zeros_like(source)
    dense = torch.zeros_like(source)
    times = torch.Size(spec.shape).numel() / source.numel()
    return times * max(0.0, _copy_ms(target, source) - _copy_ms(target, dense))


def _copy_ms(target: torch.Tensor, source: torch.Tensor) -> float:
    if source.is_cuda:
        torch.cuda.synchronize()
    started = time.perf_counter()
    target.copy_(source)
    if source.is_cuda:
        torch.cuda.synchronize()
    return (time.perf_counter() - started) * 1e3


def _stride(value: Any, tensor: torch.Tensor) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) != tensor.dim():
        raise forged("a malformed layout")
    if not all(_is_index(step, _SPAN_MAX_BYTES) for step in value):
        raise forged("a malformed layout")
    if _span(tensor.shape, value) * tensor.element_size() > _SPAN_MAX_BYTES:
        raise forged("a layout that no memory has")
    return tuple(value)


def _span(shape: Sequence[int], stride: Sequence[int]) -> int:
    return 1 + sum(max(0, n - 1) * step for n, step in zip(shape, stride, strict=True))


def _meta(spec: TensorSpec) -> torch.Tensor:
    return torch.empty_strided(spec.shape, spec.stride, dtype=spec.torch_dtype, device="meta")


def _is_index(value: Any, size: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < size
