"""The reference's gradients, under random upstream gradients: the truth of a backward pass, and what is near it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from eval_app.engine.contract.evidence import MAX_PLACE_CHARS
from eval_app.engine.judge.comparison.compare import flat
from eval_app.engine.judge.gradients.upstream import Layout, dense
from eval_app.engine.judge.last_bits.neighbours import Neighbour, is_number, neighbours
from eval_app.engine.judge.task.cases import Case, each_has_same_bits
from eval_app.engine.judge.values.reductions import rms
from eval_app.engine.shared.frozen_weights import frozen_weights
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import TensorSpec, flatten, overlaps, unflatten

# Of several outputs, how many are tried alone.
_OUTPUTS_ALONE = 3
# Sizes of upstream gradients: those of a mean over a million values, and of a loss that is scaled up so that nothing is
# lost in half precision. Powers of two, to which gradients are in proportion but for what overflows or vanishes.
_SIZES = (2.0**-20, 2.0**16)
_PROPORTION = 1e-3


@dataclass(frozen=True)
class Asked:
    """What of a call requires gradients, and which output alone has an upstream one; all that can, by default. Whether
    gradients are read where a backward pass adds them up, which is the same to a reference. And how large upstream
    gradients are."""

    inputs: bool = True
    weights: bool = True
    output: int | None = None
    accumulated: bool = False
    size: float = 1.0

    def text(self, outputs: list[str]) -> str:
        """Return what such gradients are for, given the names of the outputs; empty for all of them."""
        if self.output is not None:
            return f"for a loss that uses {outputs[self.output][:MAX_PLACE_CHARS]} alone"
        if self.size != 1:
            return f"under upstream gradients {self.size:.0e} times as large, as another loss has them"
        if self.accumulated:
            return "in `.grad` after `backward()`, where an optimiser reads them"
        if not self.weights:
            return "where the inputs alone require them, as beside frozen weights"
        return (
            ""
            if self.inputs
            else "where the weights alone require them, as in a first layer, whose input is data"
        )


@dataclass(frozen=True)
class Gradients:
    """One backward pass of the reference: upstream gradients and results by name."""

    # One per output tensor, of its dtype, which is expanded to its shape; None if that output has no gradient.
    upstream: list[torch.Tensor | None]
    # ("input 0", 0, gradient) or ("weight norm.bias", "norm.bias", gradient); each has the shape and dtype of
    # its input or weight.
    named: list[tuple[str, int | str, torch.Tensor]]
    # Whether the reference leaves each input, then each upstream gradient, as it was.
    kept: list[bool] = field(default_factory=list)
    asked: Asked = Asked()

    @property
    def given(self) -> list[torch.Tensor]:
        """Return the upstream gradients of those outputs that have one."""
        return [tensor for tensor in self.upstream if tensor is not None]

    @property
    def tensors(self) -> list[torch.Tensor]:
        """Return the results."""
        return [gradient for _, _, gradient in self.named]

    def parts(self) -> list[Asked]:
        """Return what training may ask for instead of all: what is added to weights' `.grad`, the weights alone, the
        inputs alone, under upstream gradients of other sizes, and under that of one output alone, for a few at
        random."""
        kinds = {type(key) for _, key, _ in self.named}
        sides = [Asked(accumulated=True)] if str in kinds else []
        sides += [Asked(inputs=False), Asked(weights=False)] if len(kinds) == 2 else []
        sides += [Asked(size=size) for size in _SIZES]
        outputs = [number for number, upstream in enumerate(self.upstream) if upstream is not None]
        if len(outputs) < 2:
            return sides
        drawn = secrets.SystemRandom().sample(outputs, min(len(outputs), _OUTPUTS_ALONE))
        return [*sides, *(Asked(output=number) for number in drawn)]

    def as_results(self, case: Case) -> Case:
        """Return the case whose results are the gradients."""
        wanted = [
            (f"gradient of {name}", {"tensor": number}) for number, (name, _, _) in enumerate(self.named)
        ]
        specs = [TensorSpec.of(gradient) for gradient in self.tensors]
        return replace(case, wanted=wanted, truth=self.tensors, specs=specs)

    def contiguous(self, outputs: list[torch.Tensor]) -> Gradients:
        """Return the same with upstream gradients of the same values that are contiguous."""
        pairs = zip(self.upstream, outputs, strict=True)
        return replace(self, upstream=[u if u is None else u.expand(o.shape).contiguous() for u, o in pairs])


class NotDifferentiableError(ValueError):
    """The reference has no gradients to compare; the message says why."""


class Differentiator:
    """Differentiates the reference by autograd, on copies of the inputs."""

    def __init__(self, model: torch.nn.Module, *, weights: bool) -> None:
        """Store the reference's model; with `weights` its parameters have gradients too."""
        self._model, self._weights = model, weights

    def gradients(self, case: Case, layout: Layout = dense, asked: Asked = Asked()) -> Gradients:
        """Return the gradients of one call, under upstream ones of that layout. Raises NotDifferentiableError, whatever
        fails but memory, and where gradients are not in proportion to upstream ones of another size."""
        leaves = self._leaves(case, asked)
        try:
            found, used = self._differentiate(self._model, case, leaves, layout, asked)
            if asked.size != 1:
                self._require_proportion(case, found)
        except (torch.OutOfMemoryError, NotDifferentiableError):
            raise
        except Exception as error:  # its own backward pass may fail in any way
            text = f"the reference cannot be differentiated: {type(error).__name__}: {error}"
            raise NotDifferentiableError(text) from error
        left = [leaf.detach() for leaf in leaves] + used
        return replace(found, kept=each_has_same_bits(left, [*case.tensors, *found.given]))

    def _require_proportion(self, case: Case, found: Gradients) -> None:
        """Raise NotDifferentiableError unless the gradients are in proportion to the size of the upstream ones."""
        asked = found.asked
        upstream = [None if u is None else u / asked.size for u in found.upstream]
        try:
            own, _ = self._differentiate(self._model, case, self._leaves(case, asked), upstream, asked)
        except torch.OutOfMemoryError as error:
            raise NotDifferentiableError("there is no memory for gradients of two sizes") from error
        for one, other in zip(found.tensors, own.tensors, strict=True):
            wanted, given = flat(other).double() * asked.size, flat(one).double()
            if one.numel() and not (given - wanted).abs().max() <= _PROPORTION * rms(wanted):
                raise NotDifferentiableError("gradients of this size overflow or vanish")

    def _leaves(self, case: Case, asked: Asked) -> list[torch.Tensor]:
        return [t.clone().requires_grad_(asked.inputs and is_number(t)) for t in case.tensors]

    def outputs(self, case: Case) -> list[torch.Tensor]:
        """Return the results of one call where gradients are asked for: a reference may choose another way there."""
        leaves = [t.clone().requires_grad_(is_number(t)) for t in case.tensors]
        set_seed(case.rng)
        with torch.enable_grad():
            return [output.detach() for output in _attached(self._model(*unflatten(case.tree, leaves)))]

    def gives_out_again(self, case: Case) -> bool:
        """Return whether gradients of two backward passes share memory."""
        first, second = (self.gradients(case) for _ in range(2))
        return overlaps(first.tensors, second.tensors)

    def neighbours(self, case: Case, found: Gradients, keeping: int) -> Iterator[Neighbour]:
        """Yield gradients under the same upstream ones as `found`, in a wider precision and on other last bits."""

        def run(
            model: torch.nn.Module, case: Case, change: Callable[[torch.Tensor], torch.Tensor]
        ) -> Neighbour:
            changed = [change(t) if is_number(t) else t.clone() for t in case.tensors]
            leaves = [t.requires_grad_(found.asked.inputs and is_number(t)) for t in changed]
            near, _ = self._differentiate(model, case, leaves, found.upstream, found.asked)
            return Neighbour(near.tensors, [])

        return neighbours(self._model, case, keeping, run)

    def _differentiate(
        self,
        model: torch.nn.Module,
        case: Case,
        leaves: list[torch.Tensor],
        upstream: list[torch.Tensor | None] | Layout,
        asked: Asked,
    ) -> tuple[Gradients, list[torch.Tensor]]:
        """Return the gradients, and the upstream ones as the model leaves them: it gets copies, and may overwrite
        these."""
        set_seed(case.rng)
        with torch.enable_grad(), nullcontext() if asked.weights else frozen_weights(model):
            outputs = _attached(model(*unflatten(case.tree, leaves)))
            if not isinstance(upstream, list):
                upstream = [
                    upstream(o.detach()) * asked.size
                    if o.requires_grad and asked.output in (None, number)
                    else None
                    for number, o in enumerate(outputs)
                ]
            pairs = [
                (o, u.to(o.dtype, copy=True)) for o, u in zip(outputs, upstream, strict=True) if u is not None
            ]
            targets = self._targets(model, leaves)
            if not pairs or not targets:
                raise NotDifferentiableError("no output of the reference depends on an input by autograd")
            gradients = torch.autograd.grad(
                [o for o, _ in pairs],
                [t for _, _, t in targets],
                [u.expand_as(o) for o, u in pairs],
                allow_unused=True,
            )
        named = [
            (name, key, torch.zeros_like(target) if gradient is None else gradient.detach().contiguous())
            for (name, key, target), gradient in zip(targets, gradients, strict=True)
        ]
        return Gradients(upstream, named, asked=asked), [u for _, u in pairs]

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
