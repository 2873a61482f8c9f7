"""A simulated GPU: torch reports one, and tensors on it hold no values."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import torch
from torch._subclasses import fake_tensor

from eval_app.engine.scout.environment import CAPABILITY, NAME

_MULTIPROCESSORS, _MEMORY_BYTES = 132, 80 * 2**30


def pretend() -> None:
    """Make this process's torch report one GPU, for the rest of the process."""
    major, _, minor = os.environ.get(CAPABILITY, "9.0").partition(".")
    capability = (int(major), int(minor or 0))
    properties = SimpleNamespace(
        name=os.environ.get(NAME, "GPU"), major=capability[0], minor=capability[1], warp_size=32,
        multi_processor_count=_MULTIPROCESSORS, total_memory=_MEMORY_BYTES,
    )  # fmt: skip
    answers: dict[str, Any] = {
        "is_available": True, "device_count": 1, "current_device": 0, "init": None, "set_device": None,
        "get_device_capability": capability, "get_device_name": properties.name, "synchronize": None,
        "get_device_properties": properties, "empty_cache": None, "_lazy_init": None, "is_bf16_supported": True,
    }  # fmt: skip
    for name, answer in answers.items():
        setattr(torch.cuda, name, _always(answer))
    fake_tensor.init_gpu_context = _always(None)


def _always(answer: Any) -> Any:
    return lambda *_arguments, **_options: answer


@contextmanager
def without_values() -> Iterator[None]:
    """Give new tensors shapes but neither memory nor values inside the block."""
    with fake_tensor.FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
        yield


def on_gpu(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor of the same shape, stride and dtype on the simulated GPU; new, because a copy would
    need a real device."""
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="cuda")


def move(model: torch.nn.Module) -> None:
    """Move the model as `model.cuda()` does."""
    for module in model.modules():
        for name, weight in module._parameters.items():
            if weight is not None:
                module._parameters[name] = torch.nn.Parameter(on_gpu(weight), requires_grad=False)
        for name, value in module._buffers.items():
            if value is not None:
                module._buffers[name] = on_gpu(value)


def warm_up() -> None:
    """Import in the zygote what the first tensor without values needs, which takes seconds."""
    try:
        with without_values():
            layer = torch.nn.Linear(2, 2)
            move(layer)
            layer(torch.empty(1, 2, device="cuda"))
    except Exception as error:  # a torch that cannot do this: scouts then find less, and lanes the rest
        sys.stderr.write(f"scouts find less with this torch: {type(error).__name__}: {error}\n"[:500])
