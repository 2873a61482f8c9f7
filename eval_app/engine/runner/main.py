"""The runner's main program: load the candidate, report it, then serve the judge until it closes the channel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from eval_app.engine.build.hooks import install
from eval_app.engine.build.request import BuildNeeded
from eval_app.engine.runner import faults, heap, load
from eval_app.engine.runner.integrity import Seal
from eval_app.engine.runner.serve import Server, thread_count
from eval_app.engine.sandbox.channel import Channel, ChannelClosedError
from eval_app.engine.shared.calls import use_ieee


def main(device_name: str, folder: Path, channels: list[Channel]) -> None:
    """Run one candidate; `channels` lead to the orchestrator and to the judge."""
    control, peer = channels
    order = control.receive()
    device = torch.device(device_name)
    use_ieee()
    if device.type == "cpu":
        load.forbid_cuda()
    threads, seal = thread_count(), Seal()
    install(resolver(control))
    with heap.filled(is_on=device.type == "cpu"):
        module = load_candidate(order["candidate"], folder, control)
    if module is None:
        return
    control.send({"type": "loaded"})
    try:
        Server(module, device, peer, threads, seal).serve()
    except ChannelClosedError:
        return


def resolver(control: Channel) -> Callable[[Any], Path]:
    """Return a function that asks the orchestrator for a built module and raises BuildNeeded if there is none yet."""

    def resolve(request: Any) -> Path:
        control.send({"type": "build", "request": request.to_dict()})
        answer = control.receive()
        if answer.get("failed"):
            raise RuntimeError(f"Error building extension {request.name!r}: {answer['failed']}")
        if answer.get("path") is None:
            raise BuildNeeded(request)
        return Path(answer["path"])

    return resolve


def load_candidate(source: str, folder: Path, control: Channel) -> ModuleType | None:
    """Return the loaded module, or None after reporting the failure. A bare `except` in the candidate cannot
    hide BuildNeeded: the orchestrator has seen the request."""
    try:
        return load.load_module(source, folder)
    except (Exception, SystemExit, BuildNeeded) as error:
        kind = "build_needed" if isinstance(error, BuildNeeded) else faults.kind_of(error, "load_error")
        code = error.code if isinstance(error, faults.StructureError) else kind
        control.send({"type": "failed", "kind": kind, "code": code, "detail": faults.describe(error)})
        return None
