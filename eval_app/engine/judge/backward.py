"""The backward pass: gradients of inputs and parameters under random upstream gradients, compared with the
reference's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge.call_message import wanted_of
from eval_app.engine.judge.cases import Case, CaseMaker
from eval_app.engine.judge.compare import Difference, Tolerance, compare
from eval_app.engine.judge.record import finite
from eval_app.engine.judge.session import Session
from eval_app.engine.judge.trials import Trials
from eval_app.engine.judge.verdicts import RejectedError
from eval_app.engine.shared.arena import Slot, lay_out
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import TensorSpec, flatten, unflatten

# Smaller gradients are compared against this size: an exact zero on one side may be a rounding error on the
# other.
_LEAST_SIZE = 1e-3


@dataclass(frozen=True)
class Gradients:
    """One backward pass of the reference: upstream gradients and results by name."""

    # One per output tensor, of its shape and dtype; None if that output has no gradient.
    upstream: list[torch.Tensor | None]
    # ("input 0", 0, gradient) or ("weight norm.bias", "norm.bias", gradient); each has the shape and dtype of
    # its input or weight.
    named: list[tuple[str, int | str, torch.Tensor]]


class NotDifferentiableError(ValueError):
    """The reference has no gradients to compare; the message says why."""


class BackwardTrials:
    """Compares a candidate's gradients with the reference's."""

    def __init__(self, session: Session, maker: CaseMaker, trials: Trials, profile: Profile) -> None:
        """Prepare the tolerances; the forward pass must have passed."""
        self._session, self._maker, self._trials, self._profile = session, maker, trials, profile
        self._tolerance = Tolerance(
            profile.gradient_fp32, profile.gradient_half, profile.gradient_fp64, least_size=_LEAST_SIZE
        )
        self._worst, self._count = Difference(), 0

    def run(self) -> None:
        """Run all trials. Raises RejectedError at the first wrong gradient."""
        detail = ""
        try:
            for _ in range(self._profile.backward_trials):
                self._try(self._maker.make())
        except NotDifferentiableError as error:
            detail = str(error)[:1000]
        finally:
            self._trials.record.backward = {
                "gradients": self._count, "max_abs": finite(self._worst.max_abs),
                "max_rel": finite(self._worst.max_rel), "detail": detail or self._note(),
            }  # fmt: skip

    def _note(self) -> str:
        if self._trials.weights != "seeded":
            return ""
        return "gradients of the inputs only: the candidate's parameter names differ from the reference's"

    def _try(self, case: Case) -> None:
        reference = self._reference_gradients(case)
        gradients = ask(self._session, case, reference)
        total = Difference()
        for (name, _, truth), got in zip(reference.named, gradients, strict=True):
            total.add(compare(got.to(truth.device), truth, self._tolerance, f"gradient of {name}"[:100]))
            self._count += 1
        self._worst.add(total)
        if total.wrong:
            self._reject(case, total)

    def _reject(self, case: Case, total: Difference) -> None:
        for mismatch in total.mismatches:
            mismatch["trial"] = "backward"
        self._trials.record.worst.add(total)
        example = total.mismatches[0]
        raise RejectedError(
            "wrong_value",
            f"backward pass: {total.wrong} of {total.total} elements of the gradients differ; {example['output']}"
            f"{example['index']} is {example['got']}, not {example['expected']}",
        )

    def _reference_gradients(self, case: Case) -> Gradients:
        """Differentiate the reference by autograd, on copies of the inputs."""
        leaves = [t.clone().requires_grad_(t.is_floating_point()) for t in case.tensors]
        set_seed(case.rng)
        try:
            with torch.enable_grad():
                outputs = _attached(self._maker.reference.model(*unflatten(case.tree, leaves)))
                upstream = [torch.randn_like(o) if o.requires_grad else None for o in outputs]
                pairs = [(o, u) for o, u in zip(outputs, upstream, strict=True) if u is not None]
                targets = self._targets(leaves)
                if not pairs or not targets:
                    raise NotDifferentiableError("no output of the reference depends on an input by autograd")
                gradients = torch.autograd.grad(
                    [o for o, _ in pairs],
                    [t for _, _, t in targets],
                    [u for _, u in pairs],
                    allow_unused=True,
                )
        except (torch.OutOfMemoryError, NotDifferentiableError):
            raise
        except Exception as error:  # its own backward pass may fail in any way
            text = f"the reference cannot be differentiated: {type(error).__name__}: {error}"
            raise NotDifferentiableError(text) from error
        named = [
            (name, key, torch.zeros_like(target) if gradient is None else gradient.detach().contiguous())
            for (name, key, target), gradient in zip(targets, gradients, strict=True)
        ]
        return Gradients(upstream, named)

    def _targets(self, leaves: list[torch.Tensor]) -> list[tuple[str, int | str, torch.Tensor]]:
        inputs: list[tuple[str, int | str, torch.Tensor]] = [
            (f"input {place}", place, leaf) for place, leaf in enumerate(leaves) if leaf.requires_grad
        ]
        if self._trials.weights != "state_dict":
            return inputs
        named: list[tuple[str, Any]] = list(self._maker.reference.model.named_parameters())
        return inputs + [(f"weight {name}", name, weight) for name, weight in named if weight.requires_grad]


def _attached(result: Any) -> list[torch.Tensor]:
    """Return the output's tensors with their autograd history, in the order of the case."""
    tensors: list[torch.Tensor] = []
    flatten(result, tensors)
    return tensors


def ask(session: Session, case: Case, reference: Gradients) -> list[torch.Tensor]:
    """Return the candidate's gradients in the order of `reference.named`, computed into poisoned buffers."""
    upstream = [tensor for tensor in reference.upstream if tensor is not None]
    ingoing = [*case.tensors, *upstream]
    specs = [
        TensorSpec.of(tensor) for tensor in (*ingoing, *(gradient for _, _, gradient in reference.named))
    ]
    slots, end = lay_out(specs)
    session.make_room(end)
    session.poison(slots)
    for slot, tensor in zip(slots, ingoing, strict=False):
        session.arena.tensor(slot).copy_(tensor)
    session.settle()
    session.be_patient()
    session.order(_order(case, reference, slots))
    if not session.arena.guards_intact(slots):
        text = "bytes beside the buffers were overwritten in a backward pass"
        raise RejectedError("illegal_memory", text, [("out_of_bounds_write", text)])
    return [session.arena.tensor(slot) for slot in slots[len(ingoing) :]]


def _order(case: Case, reference: Gradients, slots: list[Slot]) -> dict[str, Any]:
    count = len(case.tensors)
    rest = iter(slots[count:])
    upstream = [None if tensor is None else next(rest).to_dict() for tensor in reference.upstream]
    return {
        "op": "backward", "inputs": case.tree, "tensors": [slot.to_dict() for slot in slots[:count]],
        "wanted": wanted_of(case), "rng": case.rng, "upstream": upstream,
        "gradients": [{"of": key, "slot": next(rest).to_dict()} for _, key, _ in reference.named],
    }  # fmt: skip
