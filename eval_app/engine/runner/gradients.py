"""The candidate's gradients by autograd, as in a training step."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any

import torch

from eval_app.engine.runner import results
from eval_app.engine.runner.faults import StructureError
from eval_app.engine.shared.frozen_weights import frozen_weights
from eval_app.engine.shared.trees import unflatten


def gradients_of(
    model: Any, tree: Any, tensors: list[torch.Tensor], wanted: list[dict[str, Any]],
    upstream: list[torch.Tensor | None], targets: list[int | str], device: torch.device,
    take: Callable[[list[torch.Tensor]], None], *, between: bool = False, frozen: bool = False,
    accumulated: bool = False,
) -> list[torch.Tensor | None]:  # fmt: skip
    """Return the gradient for each of `targets` (an input's number or a parameter's name), None if autograd
    finds none.

    `upstream` has one tensor per output tensor, of its shape and dtype, None if that output is to have none. These and
    the inputs are given as they are, no copies, so that what overwrites them shows. `take` gets the outputs before the
    backward pass. With `between` the model is called on other values before it; with `frozen` no weight requires a
    gradient; with `accumulated` gradients are what a backward pass adds to `.grad`. Raises StructureError if an output
    has no autograd history.
    """
    chosen = {target for target in targets if isinstance(target, int)}
    leaves = [t.detach().requires_grad_(place in chosen) for place, t in enumerate(tensors)]
    with torch.enable_grad(), frozen_weights(model) if frozen else nullcontext():
        outputs, _ = results.flatten_result(model(*unflatten(tree, leaves)), wanted, device)
        pairs = [(o, u) for o, u in zip(outputs, upstream, strict=True) if u is not None]
        if not all(output.requires_grad for output, _ in pairs):
            text = (
                "gradients were requested, and an output has no autograd history: there is no backward pass"
            )
            raise StructureError(text, code="no_backward")
        take([output.detach() for output in outputs])
        if between:
            _call(model, tree, tensors)
        roots, given, asked = [o for o, _ in pairs], [u for _, u in pairs], _resolved(model, leaves, targets)
        if accumulated:
            return _accumulated(roots, given, asked)
        return list(torch.autograd.grad(roots, asked, given, allow_unused=True))


def _accumulated(
    outputs: list[torch.Tensor], upstream: list[torch.Tensor], targets: list[torch.Tensor]
) -> list[torch.Tensor | None]:
    """Return what a backward pass leaves in `.grad`, as an optimiser finds it there."""
    for target in targets:
        target.grad = None
    torch.autograd.backward(outputs, upstream, inputs=targets)
    found = [target.grad for target in targets]
    for target in targets:
        target.grad = None
    return found


def _call(model: Any, tree: Any, tensors: list[torch.Tensor]) -> None:
    """Call the model on half of the values; it need not take them."""
    with suppress(Exception):
        model(*unflatten(tree, [t / 2 if t.is_floating_point() else t.clone() for t in tensors]))


def _resolved(model: Any, leaves: list[torch.Tensor], targets: list[int | str]) -> list[torch.Tensor]:
    named = dict(model.named_parameters()) if isinstance(model, torch.nn.Module) else {}
    tensors: list[torch.Tensor] = []
    for target in targets:
        if isinstance(target, str) and not getattr(named.get(target), "requires_grad", False):
            raise StructureError(f"it has no parameter {target} that requires a gradient", code="no_backward")
        tensors.append(leaves[target] if isinstance(target, int) else named[target])
    return tensors
