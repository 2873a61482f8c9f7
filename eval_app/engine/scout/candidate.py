"""The scout's candidate side: load it, build its model, make one call; only its build requests count."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from eval_app.engine.build.hooks import install
from eval_app.engine.build.request import BuildNeeded
from eval_app.engine.runner import load
from eval_app.engine.runner.main import load_candidate, resolver
from eval_app.engine.sandbox.channel import Channel
from eval_app.engine.scout.pretence import move, pretend, warm_up, without_values
from eval_app.engine.shared.trees import TensorSpec, unflatten

__all__ = ["main", "warm_up"]


def main(device_name: str, folder: Path, channels: list[Channel]) -> None:
    """Try one candidate; the orchestrator sees its requests."""
    control, peer = channels
    order = control.receive()
    pretend()
    install(resolver(control))
    module = load_candidate(order["candidate"], folder, control)
    if module is None:
        return
    control.send({"type": "loaded"})
    plan = peer.receive()
    try:
        _try(module, plan)
    except (Exception, SystemExit, BuildNeeded) as error:  # a failure here may work on the device
        peer.send({"ended": type(error).__name__})
    else:
        peer.send({"ended": ""})


def _try(module: ModuleType, plan: dict[str, Any]) -> None:
    with without_values():
        arguments = unflatten(plan["init"], [])
        positional, keywords = ([], arguments) if isinstance(arguments, dict) else (arguments, {})
        model = load.build_model(module, list(positional), keywords, seed=0)
        if isinstance(model, torch.nn.Module):
            move(model)
        specs = [TensorSpec.from_dict(form) for form in plan["specs"]]
        tensors = [torch.empty_strided(s.shape, s.stride, dtype=s.torch_dtype, device="cuda") for s in specs]
        model(*unflatten(plan["inputs"], tensors))
