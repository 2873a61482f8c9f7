"""Other sizes of a task's free dimensions, odd and no multiple of a tile.

Sizes that a program keeps in constants, such as KernelBench's `batch_size`, are changed one at a time if
get_inputs reads them, get_init_inputs does not, and another value changes a size: one that only bounds values, such
as labels, is left alone. Otherwise the leading dimension of the inputs is cut. What the reference rejects is skipped
with its reason: only the reference knows which inputs are valid.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

import torch

from eval_app.engine.judge.task.reference import Reference
from eval_app.engine.shared.trees import flatten

_MAX_SIZE = 2**31
_MAX_FUNCTIONS = 20


@dataclass(frozen=True)
class Shape:
    """One way to make other inputs: its description, and a maker that takes a seed."""

    note: str
    make: Callable[[int], list[Any]]


def alternative_shapes(reference: Reference) -> list[Shape]:
    """Return all alternatives in random order."""
    module = reference.module
    own = _input_shapes(module)
    shapes = [
        Shape(f"{name}={size}, not {value}", _with_constant(reference, name, size))
        for name, value in _free_constants(module).items()
        for size in _sizes(value)
        if own is None or _input_shapes(module, name, size) != own
    ]
    if not shapes:
        shapes = list(_cuts(reference))
    return sorted(shapes, key=lambda _: secrets.randbits(32))


def _sizes(value: int) -> list[int]:
    """Return odd sizes below and just above `value`, and a very small one: none a multiple of a tile."""
    sizes = [value // 2 + value // 8 | 1, value + 1 | 1, 3]
    return [size for size in dict.fromkeys(sizes) if 0 < size != value and size <= max(2 * value, 3)]


def _free_constants(module: ModuleType) -> dict[str, int]:
    """Return the module's integer constants that get_inputs reads and get_init_inputs does not."""
    fixed = _names_read(getattr(module, "get_init_inputs", None))
    names = _names_read(module.get_inputs) - fixed
    values = {name: vars(module).get(name) for name in sorted(names)}
    return {name: v for name, v in values.items() if type(v) is int and 0 < v < _MAX_SIZE}


def _input_shapes(module: ModuleType, name: str = "", value: int = 0) -> list[torch.Size] | None:
    """Return the shapes of the program's inputs, with a constant changed if one is named; None if it makes none on the
    meta device, where tensors have no values.
    """
    try:
        with _changed(module, name, value) if name else nullcontext(), torch.device("meta"):
            inputs = list(module.get_inputs())
        tensors: list[torch.Tensor] = []
        flatten(inputs, tensors)
    except Exception:  # a program may need values, or reject the size
        return None
    return [tensor.shape for tensor in tensors]


def _names_read(function: Any) -> set[str]:
    """Return the global names that a function reads, itself or in functions of its module that it calls."""
    names: set[str] = set()
    pending, visited = [function], set[int]()
    while pending and len(visited) < _MAX_FUNCTIONS:
        current = pending.pop()
        if not isinstance(current, FunctionType) or id(current) in visited:
            continue
        visited.add(id(current))
        own_names = set(_code_names(current.__code__))
        names |= own_names
        pending += [current.__globals__.get(name) for name in own_names]
    return names


def _code_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_names(constant)


def _with_constant(reference: Reference, name: str, size: int) -> Callable[[int], list[Any]]:
    def make(seed: int) -> list[Any]:
        with _changed(reference.module, name, size):
            return reference.inputs(seed)

    return make


@contextmanager
def _changed(module: ModuleType, name: str, value: int) -> Iterator[None]:
    original = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, original)


def _cuts(reference: Reference) -> Iterator[Shape]:
    """Yield cuts of the leading dimension of all tensors that share it, which is then a batch's; of a batch of one
    several draws together."""
    tensors = [value for value in reference.inputs(0) if isinstance(value, torch.Tensor) and value.dim() > 0]
    leading = {tensor.shape[0] for tensor in tensors}
    for length in sorted(leading):
        for size in _sizes(length):
            if size < length or length == 1:
                yield Shape(f"leading dimension {size}, not {length}", _cut(reference, length, size))


def _cut(reference: Reference, length: int, size: int) -> Callable[[int], list[Any]]:
    def is_batch(value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.dim() > 0 and value.shape[0] == length

    def make(seed: int) -> list[Any]:
        draws = [reference.inputs(seed + number) for number in range(-(-size // length))]
        return [
            torch.cat(values)[:size].contiguous()
            if all(map(is_batch, values)) and len({value.shape for value in values}) == 1
            else values[0]
            for values in zip(*draws, strict=False)  # a task may draw another number of them
        ]

    return make
