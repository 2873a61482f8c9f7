"""The reference's gradients, under random upstream gradients: the truth of a backward pass, and what is near it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch

from eval_app.engine.judge.cases import Case
from eval_app.engine.judge.neighbours import Neighbour, is_number, neighbours
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import TensorSpec, flatten, unflatten


@dataclass(frozen=True)
class Gradients:
    """One backward pass of the reference: upstream gradients and results by name."""

    # One per output tensor, of its shape and dtype; None if that output has no gradient.
    upstream: list[torch.Tensor | None]
    # ("input 0", 0, gradient) or ("weight norm.bias", "norm.bias", gradient); each has the shape and dtype of
    # its input or weight.
    named: list[tuple[str, int | str, torch.Tensor]]

    @property
    def tensors(self) -> list[torch.Tensor]:
        """Return the results."""
        return [gradient for _, _, gradient in self.named]

    def as_results(self, case: Case) -> Case:
        """Return the case whose results are the gradients."""
        wanted = [
            (f"gradient of {name}", {"tensor": number}) for number, (name, _, _) in enumerate(self.named)
        ]
        specs = [TensorSpec.of(gradient) for gradient in self.tensors]
        return replace(case, wanted=wanted, truth=self.tensors, specs=specs)


class NotDifferentiableError(ValueError):
    """The reference has no gradients to compare; the message says why."""


class Differentiator:
    """Differentiates the reference by autograd, on copies of the inputs."""

    def __init__(self, model: torch.nn.Module, *, weights: bool) -> None:
        """Store the reference's model; with `weights` its parameters have gradients too."""
        self._model, self._weights = model, weights

    def gradients(self, case: Case) -> Gradients:
        """Return the gradients of one call. Raises NotDifferentiableError, whatever fails but memory."""
        leaves = [t.clone().requires_grad_(is_number(t)) for t in case.tensors]
        try:
            return self._differentiate(self._model, case, leaves, None)
        except (torch.OutOfMemoryError, NotDifferentiableError):
            raise
        except Exception as error:  # its own backward pass may fail in any way
            text = f"the reference cannot be differentiated: {type(error).__name__}: {error}"
            raise NotDifferentiableError(text) from error

    def neighbours(self, case: Case, found: Gradients, keeping: int) -> Iterator[Neighbour]:
        """Yield gradients under the same upstream ones as `found`, in a wider precision and on other last bits."""

        def run(
            model: torch.nn.Module, case: Case, change: Callable[[torch.Tensor], torch.Tensor]
        ) -> Neighbour:
            changed = [change(t) if is_number(t) else t.clone() for t in case.tensors]
            leaves = [t.requires_grad_(is_number(t)) for t in changed]
            return Neighbour(self._differentiate(model, case, leaves, found.upstream).tensors, [])

        return neighbours(self._model, case, keeping, run)

    def _differentiate(
        self,
        model: torch.nn.Module,
        case: Case,
        leaves: list[torch.Tensor],
        upstream: list[torch.Tensor | None] | None,
    ) -> Gradients:
        set_seed(case.rng)
        with torch.enable_grad():
            outputs = _attached(model(*unflatten(case.tree, leaves)))
            if upstream is None:
                upstream = [torch.randn_like(o) if o.requires_grad else None for o in outputs]
            pairs = [(o, u.to(o.dtype)) for o, u in zip(outputs, upstream, strict=True) if u is not None]
            targets = self._targets(model, leaves)
            if not pairs or not targets:
                raise NotDifferentiableError("no output of the reference depends on an input by autograd")
            gradients = torch.autograd.grad(
                [o for o, _ in pairs], [t for _, _, t in targets], [u for _, u in pairs], allow_unused=True
            )
        named = [
            (name, key, torch.zeros_like(target) if gradient is None else gradient.detach().contiguous())
            for (name, key, target), gradient in zip(targets, gradients, strict=True)
        ]
        return Gradients(upstream, named)

    def _targets(
        self, model: torch.nn.Module, leaves: list[torch.Tensor]
    ) -> list[tuple[str, int | str, torch.Tensor]]:
        inputs: list[tuple[str, int | str, torch.Tensor]] = [
            (f"input {place}", place, leaf) for place, leaf in enumerate(leaves) if leaf.requires_grad
        ]
        if not self._weights:
            return inputs
        named: list[tuple[str, Any]] = list(model.named_parameters())
        return inputs + [(f"weight {name}", name, weight) for name, weight in named if weight.requires_grad]


def _attached(result: Any) -> list[torch.Tensor]:
    """Return the output's tensors with their autograd history, in the order of the case."""
    tensors: list[torch.Tensor] = []
    flatten(result, tensors)
    return tensors
