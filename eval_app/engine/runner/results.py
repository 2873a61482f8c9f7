"""The candidate's result: checked against the structure of the truth, and copied to the judge's buffers."""

from __future__ import annotations

import math
from typing import Any

import torch

from eval_app.engine.runner.faults import StructureError
from eval_app.engine.shared.arena import Arena
from eval_app.engine.shared.trees import TreeError, flatten, leaves

_INTEGERS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_INTERCEPTORS = ("__torch_function__", "__torch_dispatch__")
_Parameter = torch.nn.Parameter
# A parameter is a plain tensor that modules register, while its class is what it was before a candidate was loaded.
_PARAMETERS_OWN = [getattr(_Parameter, name) for name in _INTERCEPTORS]


def flatten_result(
    result: Any, wanted: list[dict[str, Any]], device: torch.device
) -> tuple[list[torch.Tensor], list[Any]]:
    """Return the result's tensors and plain values in the order of `wanted`: `[{"where", "shape", "dtype", "device"} or
    {"where"}]`. `device` is that of the inputs.

    Raises StructureError with the difference. Lists and tuples are alike, and so are dicts and dataclasses; a tensor
    may be on the device of the inputs or where the reference's is.
    """
    tensors: list[torch.Tensor] = []
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
            _check_tensor(tensors[form["tensor"]], place, leaf, device)
        else:
            plain.append(form)
    return tensors, plain


def _listed(places: list[str]) -> str:
    return f"{len(places)} values ({', '.join(places[:6])})"


def _check_tensor(tensor: torch.Tensor, place: str, leaf: dict[str, Any], device: torch.device) -> None:
    kind = type(tensor)
    if kind is not torch.Tensor and not _is_plain_parameter(kind):
        own = kind.__mro__[: kind.__mro__.index(torch.Tensor)]
        is_lazy = any(name in vars(parent) for parent in own for name in _INTERCEPTORS)
        text = f"{place} is a {kind.__name__}, not a plain torch.Tensor"
        raise StructureError(text, "cheated", "lazy_tensor") if is_lazy else StructureError(text)
    replaced = [name for name in vars(tensor) if hasattr(torch.Tensor, name)]
    if replaced:
        names = ", ".join(replaced[:3])
        raise StructureError(f"{place} replaces a tensor's own {names}", "cheated", "lazy_tensor")
    if tensor.layout is not torch.strided or tensor.is_meta or tensor.is_quantized:
        raise StructureError(f"{place} is not a dense tensor")
    dtype = str(tensor.dtype).removeprefix("torch.")
    if (list(tensor.shape), dtype) != (list(leaf["shape"]), leaf["dtype"]):
        expected = f"{leaf['dtype']}{list(leaf['shape'])}"
        raise StructureError(f"{place} is {dtype}{list(tensor.shape)}; the reference gives {expected}")
    if tensor.device.type not in (device.type, leaf["device"]):
        raise StructureError(f"{place} is on {tensor.device}; the inputs are on {device}")


def _is_plain_parameter(kind: type) -> bool:
    return kind is _Parameter and all(
        getattr(kind, name) is own for name, own in zip(_INTERCEPTORS, _PARAMETERS_OWN, strict=True)
    )


def write_into(tensors: list[torch.Tensor], arena: Arena | None) -> None:
    """Replace all values of results that do not lie in the judge's buffers, as a caller may who is done with them."""
    with torch.inference_mode():  # results may have been made in it
        for tensor in tensors:
            if arena is not None and arena.offset_of(tensor.data_ptr()) is not None:
                continue
            if tensor.dtype is torch.bool:
                tensor.fill_(True)
            elif tensor.is_complex() or tensor.is_neg():  # as the imaginary part of a conjugate is
                tensor.fill_(math.nan)
            else:  # all bits: NaN, or -1
                tensor.view(_INTEGERS[tensor.element_size()]).fill_(-1)


def copy_out(tensors: list[torch.Tensor], targets: list[torch.Tensor]) -> None:
    """Copy the values to the judge's buffers."""
    for tensor, target in zip(tensors, targets, strict=True):
        target.copy_(tensor)
