"""Loading the candidate: its program as a module from a real file, its `ModelNew` built under the judge's seed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from eval_app.engine.runner import inductor_names
from eval_app.engine.runner.faults import NeedsCudaError
from eval_app.engine.shared.seeding import set_seed

CLASS_NAME = "ModelNew"


def _needs_cuda() -> None:
    raise NeedsCudaError("the candidate uses CUDA, and this lane runs on the CPU")


def forbid_cuda() -> None:
    """Make calls of CUDA on a CPU lane raise: neither a pass nor a fault, but unsupported."""
    torch.cuda._lazy_init = _needs_cuda


def load_module(source: str, folder: Path) -> ModuleType:
    """Import the candidate from a file, because Triton and inspect read sources back."""
    path = folder / "candidate.py"
    path.write_text(source, encoding="utf-8")
    inductor_names.supply(source)
    spec = importlib.util.spec_from_file_location("candidate", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["candidate"] = module
    spec.loader.exec_module(module)
    if not callable(getattr(module, CLASS_NAME, None)):
        raise ImportError(f"the candidate defines no class {CLASS_NAME}")
    return module


def build_model(module: ModuleType, arguments: list[Any], keywords: dict[str, Any], seed: int) -> Any:
    """Return the candidate's model on the CPU, its random weights drawn from `seed` as the reference's are."""
    set_seed(seed)
    return getattr(module, CLASS_NAME)(*arguments, **keywords)


def load_weights(model: Any, weights: dict[str, torch.Tensor], *, in_place: bool = False) -> dict[str, Any]:
    """Copy the reference's weights by value; return `{"fit": False, ...}` with the differences if they do not fit.

    Further state of the candidate (work buffers, constants) is unchanged.
    """
    state = _state_of(model)
    missing = sorted(set(weights) - set(state))
    unexpected = sorted(set(state) - set(weights))
    shapes = sorted(n for n in set(state) & set(weights) if not _takes(state[n], weights[n]))
    if missing or shapes:
        return {"fit": False, "missing": missing[:20], "unexpected": unexpected[:20], "shapes": shapes[:20]}
    if weights:
        copy = _copy_in_place if in_place else _load
        try:
            copy(model, weights)
        except RuntimeError:  # tensors made in inference mode can only be written in that mode
            with torch.inference_mode():
                copy(model, weights)
    return {"fit": True}


def weights_of(model: Any) -> dict[str, torch.Tensor]:
    """Return the tensors of a model's state dict."""
    return {name: value for name, value in _state_of(model).items() if torch.is_tensor(value)}


def _state_of(model: Any) -> dict[str, Any]:
    state: dict[str, Any] = getattr(model, "state_dict", dict)()
    return state


def _takes(own: torch.Tensor, weight: torch.Tensor) -> bool:
    """Return whether a tensor can take the values of `weight`: a lazy module's takes its shape from them."""
    return is_lazy(own) or tuple(own.shape) == tuple(weight.shape)


def _load(model: Any, weights: dict[str, torch.Tensor]) -> None:
    model.load_state_dict(weights, strict=False)


def _copy_in_place(model: Any, weights: dict[str, torch.Tensor]) -> None:
    """Write the values as an optimizer does: no hook runs, and each tensor's version counts."""
    state = model.state_dict()
    for name, value in weights.items():
        state[name].copy_(value)
