"""The candidate's result: checked against the structure of the truth, and copied to the judge's buffers."""

from __future__ import annotations

from typing import Any

import torch

from eval_app.engine.runner.faults import StructureError
from eval_app.engine.shared.trees import TreeError, flatten, leaves

_TUPLE_READERS = (tuple.__iter__, tuple.__getitem__)


def flatten_result(result: Any, wanted: list[dict[str, Any]]) -> tuple[list[torch.Tensor], list[Any]]:
    """Return the result's tensors and plain values in the order of `wanted`: `[{"where", "shape", "dtype"} or
    {"where"}]`.

    Raises StructureError with the difference. Lists and tuples are alike; everything else must match exactly.
    """
    tensors: list[torch.Tensor] = []
    _check_containers(result)
    try:
        result_leaves = leaves(flatten(result, tensors))
    except TreeError as error:
        raise StructureError(str(error)) from error
    places, wanted_places = [place for place, _ in result_leaves], [leaf["where"] for leaf in wanted]
    if places != wanted_places:
        raise StructureError(f"returned {_listed(places)}; the reference returns {_listed(wanted_places)}")
    plain = []
    for (place, form), leaf in zip(result_leaves, wanted, strict=True):
        if ("tensor" in form) != ("shape" in leaf):
            raise StructureError(
                f"{place} is {'a tensor' if 'tensor' in form else 'not a tensor'}, unlike the reference's"
            )
        if "tensor" in form:
            _check_tensor(tensors[form["tensor"]], place, leaf)
        else:
            plain.append(form)
    return tensors, plain


def _check_containers(value: Any) -> None:
    """Require plain lists, tuples and dicts: a subclass may compute when it is read. Named tuples only add names."""
    if isinstance(value, list | dict) and type(value) not in (list, dict):
        raise StructureError(f"returned a {type(value).__name__}, not a plain list or dict")
    if isinstance(value, tuple) and (type(value).__iter__, type(value).__getitem__) != _TUPLE_READERS:
        raise StructureError(f"returned a {type(value).__name__}, which is not read as a plain tuple")
    for item in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    ):
        _check_containers(item)


def _listed(places: list[str]) -> str:
    return f"{len(places)} values ({', '.join(places[:6])})"


def _check_tensor(tensor: torch.Tensor, place: str, leaf: dict[str, Any]) -> None:
    if type(tensor) is not torch.Tensor:
        kind = type(tensor).__name__
        raise StructureError(f"{place} is a {kind}, not a plain torch.Tensor", "cheated", "lazy_tensor")
    if vars(tensor):
        names = ", ".join(list(vars(tensor))[:3])
        raise StructureError(f"{place} carries attributes of its own ({names})", "cheated", "lazy_tensor")
    if tensor.layout is not torch.strided or tensor.is_meta or tensor.is_quantized:
        raise StructureError(f"{place} is not a dense tensor")
    dtype = str(tensor.dtype).removeprefix("torch.")
    if (list(tensor.shape), dtype) != (list(leaf["shape"]), leaf["dtype"]):
        expected = f"{leaf['dtype']}{list(leaf['shape'])}"
        raise StructureError(f"{place} is {dtype}{list(tensor.shape)}; the reference gives {expected}")


def copy_out(tensors: list[torch.Tensor], targets: list[torch.Tensor], device: torch.device) -> None:
    """Copy the values to the judge's buffers. Raises StructureError for a tensor on another device."""
    for tensor, target in zip(tensors, targets, strict=True):
        if tensor.device.type != device.type:
            raise StructureError(f"an output is on {tensor.device}; the inputs are on {device}")
        target.copy_(tensor)


def overlaps(tensors: list[torch.Tensor], others: list[torch.Tensor]) -> bool:
    """Return whether any of `tensors` shares memory with any of `others`."""
    spans = [_span(other) for other in others if other.numel()]
    return any(
        low < stop and start < high
        for t in tensors
        if t.numel()
        for low, high in [_span(t)]
        for start, stop in spans
    )


def _span(tensor: torch.Tensor) -> tuple[int, int]:
    storage = tensor.untyped_storage()
    return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
