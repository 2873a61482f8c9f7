"""Arguments and results as trees of tensors and plain values, in a JSON form without pickle."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy
import torch

MAX_DEPTH = 20
MAX_LEAVES = 4096
# Of the first result of a model, which the runner holds to the end, and of all but the last two results together.
MAX_KEPT_BYTES = 64 * 2**20
MAX_HELD = 13
# Python writes no integer of more than 4,300 digits.
MAX_INTEGER_BITS = 4096
# Several numbers in a byte: torch can hold and view these, and neither copies nor computes with them. They travel as
# bytes.
_PACKED_NAMES = ["float4_e2m1fn_x2", *(f"{kind}{bits}" for kind in ("int", "uint") for bits in range(1, 8))]
PACKED = {getattr(torch, name): name for name in _PACKED_NAMES if hasattr(torch, name)}

# Long lists hold these for the most part.
_NUMBERS = (int, float)


class TreeError(TypeError):
    """A value that cannot be passed between roles; the message has its type and place."""


@dataclass(frozen=True)
class TensorSpec:
    """Shape, dtype (torch's name without the prefix, such as "float32") and stride of a tensor."""

    shape: tuple[int, ...]
    dtype: str
    stride: tuple[int, ...]

    @classmethod
    def of(cls, tensor: torch.Tensor) -> TensorSpec:
        """Return the spec of `tensor`; strides with holes or overlaps become contiguous."""
        dense = torch.empty_like(tensor, device="meta", memory_format=torch.preserve_format)
        return cls(tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), tuple(dense.stride()))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TensorSpec:
        """Read the JSON form."""
        return cls(tuple(map(int, data["shape"])), str(data["dtype"]), tuple(map(int, data["stride"])))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"shape": list(self.shape), "dtype": self.dtype, "stride": list(self.stride)}

    @property
    def torch_dtype(self) -> torch.dtype:
        """Return the dtype as a torch.dtype."""
        dtype = getattr(torch, self.dtype, None)
        if not isinstance(dtype, torch.dtype):
            raise TreeError(f"{self.dtype!r} is not a dtype")
        return dtype

    @property
    def size_bytes(self) -> int:
        """Return the bytes of the values."""
        return int(math.prod(self.shape) * self.torch_dtype.itemsize)


def flatten(value: Any, tensors: list[torch.Tensor], where: str = "value", depth: int = 0) -> Any:
    """Return the JSON form of `value`; append its tensors to `tensors`, where the form refers to them by index.

    Containers are read as they lie in memory, whatever a subclass says of itself; of a dict, the tensors come in the
    order of its keys.
    """
    if depth > MAX_DEPTH or len(tensors) > MAX_LEAVES:
        raise TreeError(f"{where} is nested too deeply or holds too many tensors")
    if isinstance(value, torch.Tensor):
        if value.dtype in PACKED:
            return {"packed": [PACKED[value.dtype], flatten(value.view(torch.uint8), tensors)]}
        tensors.append(value)
        return {"tensor": len(tensors) - 1}
    if isinstance(value, list | tuple):
        kind = "tuple" if isinstance(value, tuple) else "list"
        items = tuple.__iter__(value) if isinstance(value, tuple) else list.__iter__(value)
        return {
            kind: [
                _plain(v, where) if type(v) in _NUMBERS else flatten(v, tensors, f"{where}[{i}]", depth + 1)
                for i, v in enumerate(items)
            ]
        }
    if isinstance(value, dict):
        return _flatten_named(dict(dict.items(value)), tensors, where, depth)
    if is_dataclass(value) and not isinstance(value, type):
        try:
            named = {field.name: object.__getattribute__(value, field.name) for field in fields(value)}
        except AttributeError as error:
            raise TreeError(f"{where} lacks one of its fields: {error}") from error
        return _flatten_named(named, tensors, where, depth)
    return _plain(value, where)


def _flatten_named(
    items: dict[Any, Any], tensors: list[torch.Tensor], where: str, depth: int
) -> dict[str, Any]:
    """Return the form of a dict or of a dataclass's fields: in their own order, the tensors in that of the keys."""
    names = [_key(key, where) for key in items]
    forms = {
        key: flatten(items[key], tensors, f"{where}[{key!r}]", depth + 1) for key in sorted(names, key=repr)
    }
    return {"dict": [[key, forms[key]] for key in names]}


def _key(key: Any, where: str) -> Any:
    if type(key) not in (str, int, bool) or (type(key) is int and key.bit_length() > MAX_INTEGER_BITS):
        raise TreeError(f"{where} has a key of type {type(key).__name__}")
    return key


def _plain(value: Any, where: str) -> Any:
    if isinstance(value, numpy.generic):
        value = value.item()
    if isinstance(value, bool | str) or value is None:
        return {"plain": value}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if isinstance(value, int) and int.bit_length(value) <= MAX_INTEGER_BITS:
        return {"int": str(int(value))}
    if isinstance(value, float):
        return {"float": float(value).hex()}
    raise TreeError(f"{where} is a {type(value).__name__}, which cannot be passed to another process")


def unflatten(form: Any, tensors: list[torch.Tensor]) -> Any:
    """Return the value of which `flatten` made `form`, with `tensors` in their places."""
    if not isinstance(form, dict) or len(form) != 1:
        raise TreeError("malformed tree")
    ((kind, body),) = form.items()
    if kind not in _READERS:
        raise TreeError("malformed tree")
    return _READERS[kind](body, tensors)


def _read_packed(body: Any, tensors: list[torch.Tensor]) -> torch.Tensor:
    packed: torch.Tensor = unflatten(body[1], tensors).view(getattr(torch, str(body[0])))
    return packed


# Of each kind of node, the value that its body stands for.
_READERS: dict[str, Callable[[Any, list[torch.Tensor]], Any]] = {
    "tensor": lambda body, tensors: tensors[body],
    "packed": _read_packed,
    "tuple": lambda body, tensors: tuple(unflatten(item, tensors) for item in body),
    "list": lambda body, tensors: [unflatten(item, tensors) for item in body],
    "dict": lambda body, tensors: {key: unflatten(item, tensors) for key, item in body},
    "dtype": lambda body, tensors: getattr(torch, str(body)),
    "plain": lambda body, tensors: body,
    "int": lambda body, tensors: int(body),
    "float": lambda body, tensors: float.fromhex(body),
}


def leaves(form: Any, where: str = "output") -> list[tuple[str, Any]]:
    """Return each leaf of a flattened tree with its place: `("output[0]", {"tensor": 0})`. Lists and tuples
    are alike."""
    ((kind, body),) = form.items()
    if kind in ("tuple", "list"):
        return [leaf for i, item in enumerate(body) for leaf in leaves(item, f"{where}[{i}]")]
    if kind == "dict":
        pairs = sorted(body, key=lambda pair: repr(pair[0]))
        return [leaf for key, item in pairs for leaf in leaves(item, f"{where}[{key!r}]")]
    if kind == "packed":
        return leaves(body[1], f"{where} ({body[0]})")
    return [(where, form)]


def lying(tensors: Sequence[torch.Tensor]) -> list[tuple[torch.Size, tuple[int, ...], int]]:
    """Return the shape, the strides and the address of each tensor."""
    return [(tensor.shape, tensor.stride(), tensor.data_ptr()) for tensor in tensors]


def is_as_given(value: Any, form: Any, before: list[tuple[torch.Size, tuple[int, ...], int]]) -> bool:
    """Return whether arguments are what `flatten` made `form` of: no list or dict has other items, and each tensor lies
    as `before`."""
    tensors: list[torch.Tensor] = []
    try:
        return bool(flatten(value, tensors) == form) and lying(tensors) == before
    except TreeError:
        return False


def besides_tensors(arguments: Sequence[Any]) -> list[Any]:
    """Return those arguments of a call that are no tensors: of lists and dicts among them it may change the items."""
    return [argument for argument in arguments if not isinstance(argument, torch.Tensor)]


def is_kept(tensors: list[torch.Tensor]) -> bool:
    """Return whether a first result of these tensors is small enough to be held to the end."""
    return _size_bytes(tensors) <= MAX_KEPT_BYTES


def count_held(results: Sequence[list[torch.Tensor]]) -> int:
    """Return how many of the latest results a runner holds: two, and more of them if all are small."""
    count = total = 0
    for tensors in reversed(results[-MAX_HELD:]):
        total += _size_bytes(tensors)
        if count >= 2 and total > MAX_KEPT_BYTES:
            break
        count += 1
    return count


def _size_bytes(tensors: list[torch.Tensor]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


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
