"""The scout's reference side: the arguments of the model and of a call, by shape alone."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import torch

from eval_app.engine.contract import schema
from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge.task.reference import Reference
from eval_app.engine.judge.verdicts import ReferenceFaultError
from eval_app.engine.sandbox.channel import (
    Channel,
    ChannelClosedError,
    ChannelTimeoutError,
    MalformedMessageError,
)
from eval_app.engine.scout.pretence import pretend, warm_up, without_values
from eval_app.engine.shared.trees import TensorSpec, TreeError, flatten

__all__ = ["main", "warm_up"]

# A scout gives up after this time and leaves the candidate to the lane.
PATIENCE_S = 20.0


def main(device_name: str, folder: Path, channels: list[Channel]) -> None:
    """Load the reference, send the candidate's side its arguments, and wait until that has tried."""
    control, peer = channels
    order = control.receive()
    pretend()
    plan = _plan(order["reference"], folder)
    control.send({"type": "prepared"})
    control.receive()
    profile = schema.read(Profile, order["profile"], "profile")
    with contextlib.suppress(ChannelClosedError, ChannelTimeoutError, MalformedMessageError):
        if plan:
            peer.send(plan)
            peer.receive(min(PATIENCE_S, profile.load_timeout_s + profile.first_call_timeout_s))
    control.send({"type": "verdict", "outcome": "scouted"})


def _plan(source: str, folder: Path) -> dict[str, Any]:
    """Return the arguments of the model and of one call; empty if the reference fails or needs values."""
    try:
        reference = Reference(source, folder, torch.device("cpu"), init_seed=0, build=False)
        values: list[torch.Tensor] = []
        arguments = flatten(reference.init_arguments, values)
        if values:
            return {}
        shapes: list[torch.Tensor] = []
        with without_values():
            inputs = flatten(reference.inputs(0), shapes)
        return {"init": arguments, "inputs": inputs, "specs": [_spec(t).to_dict() for t in shapes]}
    except (ReferenceFaultError, TreeError):
        return {}


def _spec(tensor: torch.Tensor) -> TensorSpec:
    return TensorSpec(tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), tuple(tensor.stride()))
