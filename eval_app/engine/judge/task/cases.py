"""A case: fresh inputs, and the truth that the reference computes for them."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from eval_app.engine.judge.comparison.compare import Tolerance, compare, flat
from eval_app.engine.judge.task.reference import (
    Reference,
    failure,
    flatten_output,
    require_context,
    require_dense,
    require_short,
)
from eval_app.engine.judge.task.twins import Twins
from eval_app.engine.judge.values import families, unvaried
from eval_app.engine.judge.values.reductions import count_different
from eval_app.engine.judge.verdicts import ReferenceFaultError
from eval_app.engine.shared.calls import Action, Caller
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import (
    TensorSpec,
    TreeError,
    flatten,
    is_as_given,
    leaves,
    lying,
    overlaps,
    unflatten,
)

_INTEGERS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


@dataclass
class Case:
    """One call: inputs, expected outputs, and the reference's time."""

    name: str
    # The tree of the inputs, their unchanged values, and their values after the reference's call; tensors are
    # on the judge's device.
    tree: Any
    tensors: list[torch.Tensor]
    after: list[torch.Tensor]
    # Places and forms of the truth's leaves, and its tensors.
    wanted: list[tuple[str, Any]]
    truth: list[torch.Tensor]
    # Seed for random operations inside the call, the same on both sides.
    rng: int
    reference_ms: float
    # The judge's overhead per call: poisoning, flushing, waiting, copying.
    overhead_ms: float
    specs: list[TensorSpec] = field(default_factory=list)
    # Whether these are the task's own values and arguments, to which a calibrated tolerance applies.
    own: bool = False
    # The configuration, and how the shapes differ from the task's own.
    config: str = "own"
    shape_note: str = ""
    # The numbers of the tensors that the reference returns with memory of an input.
    aliases: list[int] = field(default_factory=list)
    # Whether lists and dicts among the arguments hold what they held after the reference's call, and tensors have their
    # shapes.
    keeps_arguments: bool = True

    @property
    def size_bytes(self) -> int:
        """Return the bytes of inputs and outputs together."""
        return sum(t.numel() * t.element_size() for t in [*self.tensors, *self.truth])

    @property
    def plain(self) -> list[Any]:
        """Return the reference's plain values in their JSON form."""
        return plain_of(self.wanted)

    @property
    def overwritten(self) -> list[int]:
        """Return the numbers of the inputs that the reference changes."""
        pairs = zip(self.tensors, self.after, strict=True)
        return [number for number, (before, after) in enumerate(pairs) if after is not before]

    @property
    def results(self) -> list[torch.Tensor]:
        """Return what the reference computed: the tensors that it returns, or else the inputs that it changed."""
        return self.results_in(self.overwritten)

    def results_in(self, overwritten: list[int]) -> list[torch.Tensor]:
        """Return the tensors that the reference returns, or else what it leaves in the inputs `overwritten`."""
        return self.truth or [self.after[number] for number in overwritten]

    def of_inputs(self) -> Case:
        """Return the case whose results are what the reference leaves in its inputs alone."""
        return replace(self, wanted=[], truth=[], specs=[])

    def finite(self) -> bool:
        """Return whether the results contain no NaN and no infinity."""
        numbers = [float.fromhex(form["float"]) for _, form in self.wanted if "float" in form]
        return all(map(math.isfinite, numbers)) and all(map(_is_finite, self.results))


def _nothing() -> None:
    """Do nothing: what comes before a call whose inputs are there."""


class CaseMaker:
    """Makes cases from secret nonce seeds."""

    def __init__(self, reference: Reference, inputs: Callable[[int], list[Any]] | None = None) -> None:
        """Store the reference, whose model is built; `inputs` draws in place of its own, at another size."""
        self.reference = reference
        self._inputs, self._own_size = inputs or reference.inputs, inputs is None
        self._caller = Caller(reference.device)
        self._specs: list[TensorSpec] = []
        self._twins = Twins(reference.device)
        # Leaves of the inputs that the family of constants moves, in groups that the reference takes.
        self.movable: list[list[int]] = []

    def draw(self, family: str) -> Any:
        """Return fresh inputs of a family. Raises NotApplicableError if it does not apply to the task."""
        inputs: Any = self._inputs(secrets.randbits(62))
        if family == "natural":
            return inputs
        if family != unvaried.FAMILY:
            reference = self.reference
            # Not from the seed of the inputs: a mask would leave out again what it left out.
            seed = secrets.randbits(62)
            changed = families.change(
                family, inputs, seed, domain=reference.domain, structures=reference.structures
            )
            if reference.keeps_regular:
                families.require_regular(inputs, changed)
            return changed
        if not self.movable:
            raise families.NotApplicableError("no input is a constant")
        return unvaried.moved(inputs, secrets.choice(self.movable))

    def rehearse(self) -> Case:
        """Return a first case, and store which inputs are the same in another draw: later draws vary them."""
        inputs = self.reference.inputs(secrets.randbits(62))
        case = self.from_inputs("natural", inputs, secrets.randbits(31))
        require_dense(list(self.reference.weights().values()), "has")
        require_short(
            [case.tree, case.wanted, flatten(self.reference.init_arguments, [], "get_init_inputs()")]
        )
        other = self.reference.inputs(secrets.randbits(62))
        self.reference.unvaried = unvaried.find(unflatten(case.tree, case.tensors), other)
        return case

    def make(self, family: str = "natural", *, rng: int | None = None) -> Case:
        """Return a new case. Raises NotApplicableError if the family does not apply to the task."""
        case = self.from_inputs(family, self.draw(family), secrets.randbits(31) if rng is None else rng)
        case.own = family == "natural" and self.reference.config == "own" and self._own_size
        case.config = self.reference.config
        return case

    def make_or_own(self, family: str) -> Case:
        """Return a new case of the family, or of the task's own values if this draw holds none that may change or the
        reference rejects them, as it may by chance."""
        try:
            return self.make(family)
        except families.NotApplicableError:
            return self.make()
        except ReferenceFaultError as error:
            require_context(error)
            return self.make()

    def confirm(self, case: Case, tolerance: Tolerance) -> None:
        """Raise ReferenceFaultError if the reference does not reproduce the case's truth: then nobody can be
        blamed."""
        again = self.from_inputs(case.name, unflatten(case.tree, case.tensors), case.rng)
        pairs = zip(again.results_in(case.overwritten), case.results, strict=True)
        if [s.shape for s in again.specs] != [s.shape for s in case.specs] or any(
            compare(a, b, tolerance).wrong for a, b in pairs
        ):
            raise ReferenceFaultError(
                "the reference gives different outputs for the same inputs, so there is no ground truth"
            )

    def given_out_again(self, case: Case) -> list[int]:
        """Return the numbers of the results that the reference gives out in the same memory in two calls, such as its
        weights."""
        calls = []
        for _ in range(2):
            copies = [tensor.clone() for tensor in case.tensors]
            result, _ = self._run(unflatten(case.tree, copies), case.rng)
            calls.append(flatten_output(result)[1])
        return [number for number, tensor in enumerate(calls[1]) if overlaps([tensor], calls[0])]

    def from_inputs(self, name: str, inputs: Any, rng: int) -> Case:
        """Return the case of `inputs` (a list), running the reference on a copy."""
        tensors: list[torch.Tensor] = []
        try:
            tree = flatten(inputs, tensors, "inputs")
        except TreeError as error:
            raise ReferenceFaultError(str(error)) from error
        require_dense(tensors, "takes")
        copies = self._twins.of(tensors)
        started = time.perf_counter()
        late, given = self._caller.late(copies, tensors, early=False), unflatten(tree, copies)
        before = lying(copies)
        result, milliseconds = self._run(given, rng, late)
        form, returned = flatten_output(result)
        truth = [tensor.clone() for tensor in returned]
        wall_ms = (time.perf_counter() - started) * 1e3
        self._specs = [TensorSpec.of(tensor) for tensor in truth]
        return Case(
            name, tree, tensors, self._inputs_after(copies, tensors), leaves(form), truth, rng, milliseconds,
            max(0.0, wall_ms - milliseconds), self._specs,
            aliases=[number for number, tensor in enumerate(returned) if overlaps([tensor], copies)],
            keeps_arguments=is_as_given(given, tree, before),
        )  # fmt: skip

    def _inputs_after(self, used: list[torch.Tensor], pristine: list[torch.Tensor]) -> list[torch.Tensor]:
        """Return the inputs after the reference's call; the original tensors if they are unchanged."""
        same = each_has_same_bits(used, pristine)
        return [
            right if kept else left.clone() for left, right, kept in zip(used, pristine, same, strict=True)
        ]

    def _run(self, inputs: list[Any], rng: int, late: Action = _nothing) -> tuple[Any, float]:
        self.reference.require_time()
        set_seed(rng)
        began_s = time.process_time()
        try:
            self._caller.prepare(self._specs)
            timed = self._caller.call(self.reference.model, inputs, late)
        except torch.OutOfMemoryError:
            raise
        except (Exception, SystemExit) as error:
            raise failure("the reference", error) from error
        on_gpu = self.reference.device.type == "cuda"
        self.reference.spend(timed.ms / 1e3 if on_gpu else time.process_time() - began_s)
        return timed.result, timed.ms


def plain_of(wanted: list[tuple[str, Any]]) -> list[Any]:
    """Return the forms of those leaves that are no tensors."""
    return [form for _, form in wanted if "tensor" not in form]


def _is_finite(tensor: torch.Tensor) -> bool:
    if not tensor.numel() or not (tensor.is_floating_point() or tensor.is_complex()):
        return True
    values = flat(tensor)
    return float((values.float() if values.dtype.itemsize == 1 else values).abs().max()) < math.inf


def same_bits(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Return whether two tensors of one shape and dtype hold the same bytes: NaN equals NaN, 0.0 differs from -0.0."""
    return torch.equal(_bits(left), _bits(right))


def each_has_same_bits(lefts: Sequence[torch.Tensor], rights: Sequence[torch.Tensor]) -> list[bool]:
    """Return `same_bits` of each pair, with one wait for a GPU in all."""
    pairs = list(zip(lefts, rights, strict=True))
    if not any(left.is_cuda for left, _ in pairs):
        return [same_bits(left, right) for left, right in pairs]
    counts = [count_different(_bits(left), _bits(right)) for left, right in pairs]
    return [not count for count in torch.stack(counts).tolist()]


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    """Return the bytes as integers as wide as the elements, shape [n]."""
    flat = tensor.contiguous().reshape(-1)
    return flat.view(_INTEGERS.get(tensor.dtype.itemsize, torch.uint8))
