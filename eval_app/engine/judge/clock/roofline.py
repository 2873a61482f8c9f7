"""Minimum work of a task on any device: bytes to move and operations to perform, counted on its reference."""

from __future__ import annotations

import time
from typing import Any

import torch

from eval_app.engine.judge.clock.operations import OperationCounter
from eval_app.engine.judge.task.cases import Case
from eval_app.engine.judge.task.reference import Reference, flatten_output
from eval_app.engine.judge.values.eight_bits import is_eight_bit
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import unflatten

_COPY_BYTES = {"cpu": 2**26, "cuda": 2**30}
_MATRIX = {"cpu": 512, "cuda": 8192}
_BEST_OF = 5
_DTYPES = {"fp64": torch.float64, "fp32": torch.float32, "half": torch.bfloat16}


def count(reference: Reference, case: Case) -> dict[str, Any]:
    """Return `bytes` (inputs, outputs and weights once each), `written_bytes`, `flops`, `other_flops`, `double_flops`,
    `uncounted` and `arithmetic` of one call.

    An output that is a view of an input or weight is not written. An embedding table counts with the rows
    that are looked up, which are its output. `flops` are those that torch has a formula for: matrix products,
    convolutions, attention; `other_flops` those of the table in `operations`, and `uncounted` the operators that
    neither knows. `double_flops` are those of both that work on 64-bit numbers. All are None if the reference cannot
    run under a counter.
    """
    inputs = [tensor.clone() for tensor in case.tensors]
    counts, outputs = _run(reference, case, inputs)
    weights = _weights(reference)
    read_storages = {storage for storage, _ in map(_span, [*inputs, *reference.weights().values()])}
    written = dict(span for span in map(_span, outputs) if span[0] not in read_storages)
    moved = dict(map(_span, [*inputs, *weights]))
    return {
        "bytes": sum(written.values()) + sum(moved.values()), "written_bytes": sum(written.values()),
        **counts, "arithmetic": _arithmetic([*inputs, *weights]),
    }  # fmt: skip


def _run(
    reference: Reference, case: Case, inputs: list[torch.Tensor]
) -> tuple[dict[str, Any], list[torch.Tensor]]:
    counter = OperationCounter()
    try:
        with counter:
            outputs = _outputs(reference, case, inputs)
        counts: dict[str, Any] = {
            "flops": counter.products,
            "other_flops": counter.operations,
            "double_flops": counter.double_operations,
        }
        return {**counts, "uncounted": counter.uncounted}, outputs
    except torch.OutOfMemoryError:
        raise
    except Exception:  # scripted modules and custom operators do not run under a dispatch mode
        counts = dict.fromkeys(("flops", "other_flops", "double_flops"))
        return {**counts, "uncounted": []}, _outputs(reference, case, inputs)


def _outputs(reference: Reference, case: Case, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    set_seed(case.rng)
    return flatten_output(reference.model(*unflatten(case.tree, inputs)))[1]


def _weights(reference: Reference) -> list[torch.Tensor]:
    tables = (torch.nn.Embedding, torch.nn.EmbeddingBag)
    looked_up = {id(m.weight) for m in reference.model.modules() if isinstance(m, tables)}
    return [w for w in reference.model.parameters() if id(w) not in looked_up] + [
        b for b in reference.model.buffers() if b.dim() > 0
    ]


def _span(tensor: torch.Tensor) -> tuple[int, int]:
    """Return the storage's address and the bytes of it that the tensor's elements use."""
    storage = tensor.untyped_storage()
    return storage.data_ptr(), min(storage.nbytes(), tensor.numel() * tensor.element_size())


def _arithmetic(tensors: list[torch.Tensor]) -> str:
    """Return the fastest arithmetic that any of the tensors allows, so that the floor holds for honest work."""
    kinds = {tensor.dtype for tensor in tensors if tensor.is_floating_point()}
    if any(is_eight_bit(tensor) or tensor.dtype is torch.int8 for tensor in tensors):
        return "8-bit"
    if kinds & {torch.float16, torch.bfloat16}:
        return "half"
    return "fp64" if kinds == {torch.float64} else "fp32"


def least_ms(written_bytes: float, cache_bytes: float, bytes_per_ms: float) -> float:
    """Return the minimum time to write the outputs: at twice the memory's rate into the cache, the rest at
    the memory's own rate. Inputs may honestly be skipped (a mask, a triangle); outputs may not."""
    beyond = max(0.0, written_bytes - cache_bytes)
    return max(written_bytes / (2 * bytes_per_ms), beyond / bytes_per_ms)


def cache_bytes(device: torch.device) -> float:
    """Return the size of a GPU's last-level cache; infinite for a CPU, where it cannot be queried."""
    if device.type == "cpu":
        return float("inf")
    return float(getattr(torch.cuda.get_device_properties(device), "L2_cache_size", 0) or 256 * 2**20)


def measure_peaks(device: torch.device) -> dict[str, Any]:
    """Return `bytes_per_s` of a copy (read and written) and `flops_per_s` of a square matrix product by arithmetic.

    One thread on a CPU, as in all timing there.
    """
    size = _COPY_BYTES[device.type]
    source = torch.ones(size // 4, device=device)
    target = torch.empty_like(source)
    bandwidth = 2 * size / _best_s(device, lambda: target.copy_(source))
    names = [name for name in _DTYPES if device.type == "cuda" or name != "half"]
    return {
        "bytes_per_s": bandwidth,
        "flops_per_s": {name: _product_rate(device, _DTYPES[name]) for name in names},
    }


def _product_rate(device: torch.device, dtype: torch.dtype) -> float:
    side = _MATRIX[device.type]
    left = torch.randn(side, side, device=device).to(dtype)
    right = torch.randn(side, side, device=device).to(dtype)
    return 2 * side**3 / _best_s(device, lambda: left @ right)


def _best_s(device: torch.device, action: Any) -> float:
    times = []
    for _ in range(_BEST_OF + 1):
        if device.type == "cuda":
            torch.cuda.synchronize()
        started = time.perf_counter()
        action()
        if device.type == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - started)
    return min(times[1:])
