"""Weights after the trials: does the output follow when they change, as in training, and which of them does it read?

Weights that are all zeros, or all one small value, are moved by addition: a kernel may have left out a bias that is
zero, or all that a scale of a millionth is applied to. Masks and places stay: a kernel may know them. What does
not follow is never refused, because an honest kernel may read its weights once, when it is built. Nor is a kernel that
is wrong where scales, which a task sets to one positive value, have both signs, as training may make them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.last_bits.neighbours import is_number
from eval_app.engine.judge.task.cases import CaseMaker
from eval_app.engine.judge.values.reductions import rms
from eval_app.engine.judge.values.structure import is_whole
from eval_app.engine.judge.verdicts import ReferenceFaultError, RejectedError

_SHARE = 0.25
# A weight of one smaller value throughout hides what it scales, also when it changes by a share of itself.
_HIDING = 1e-2


class Reweigh:
    """Changes the weights on both sides, and restores them."""

    def __init__(self, session: Session, maker: CaseMaker, trials: Trials, seed: int) -> None:
        """Store the session after its trials; `seed` is the one that both models were built under."""
        self._session, self._maker, self._trials, self._seed = session, maker, trials, seed
        # Whether the candidate's output follows its weights; None before that is seen, or if the reference takes none.
        self.followed: bool | None = None
        model = maker.reference.model
        named = dict(model.named_parameters())
        floats = {name for name, weight in named.items() if _moves(weight) and weight.numel()}
        self._constant = {name for name in floats if _is_constant(named[name])}
        self._drawn = floats - self._constant
        self._scales = {name for name in self._constant if _is_scale(named[name])}
        self._known = {name for name, buffer in model.named_buffers() if _moves(buffer) and _is_known(buffer)}
        # Statistics of a batch norm, for one; a single number is a setting.
        self._constant |= {
            name
            for name, buffer in model.named_buffers()
            if _moves(buffer) and buffer.numel() > 1 and _is_constant(buffer)
        } & set(maker.reference.weights())

    def run(self) -> None:
        """Note weights that the candidate's output does not follow, unless the reference rejects others."""
        try:
            self._run()
        except ReferenceFaultError:  # a weight that is a size, for one; the calls so far are no worse for it
            self._session.build(self._seed)

    def while_moved(self, action: Callable[[], bool]) -> bool:
        """Return what an action does while the weights of both sides are others, written in place as training writes
        them."""
        return self._while_others(set(self._maker.reference.weights()), _move, action)

    def _while_others(self, names: set[str], move: Callable[..., None], action: Callable[[], bool]) -> bool:
        with self._moved(names, move):
            self._session.give_weights(in_place=True)
            result = action()
        self._session.give_weights()
        return result

    def _run(self) -> None:
        self.followed = self.while_moved(self._follows)
        if self.followed:
            self._look_at_signs()
            return
        self._trials.note(
            "label", "weights_cached", "the output does not follow when the weights are replaced"
        )
        if self._constant:
            self._look_for_ignored()
            self._session.build(self._seed)

    def _look_at_signs(self) -> None:
        """Note a candidate that is wrong where scales have both signs."""
        if not self._scales or self._while_others(self._scales, _give_signs, self._follows):
            return
        names = ", ".join(sorted(self._scales))[:200]
        text = f"right with the weights that the task sets and with others of their signs; where {names} has both signs"
        self._trials.note("audit", "assumes_no_negatives", f"{text}, which the reference takes, it is wrong")

    def _look_for_ignored(self) -> None:
        """Build the candidate anew, so that it has kept nothing, with other constant weights and then with other drawn
        ones."""
        if self._follows_anew(self._constant) or (self._drawn and not self._follows_anew(self._drawn)):
            return
        names = ", ".join(sorted(self._constant))[:200]
        text = (
            f"the output does not follow {names}, which the task sets to one value throughout, even in a model that is "
            "built anew: they are left out, or read only when the model is built"
        )
        self._trials.note("audit", "weights_ignored", text)

    def _follows_anew(self, names: set[str]) -> bool:
        with self._moved(names, _move):
            self._session.build(self._seed)
            return self._follows()

    def _follows(self) -> bool:
        case = self._maker.make()
        case.own = False
        try:
            return not case.finite() or not self._trials.difference_only(case)
        except RejectedError as error:
            if error.outcome not in ("wrong_structure", "runtime_error"):
                raise
            return False  # a size depends on a weight

    @contextmanager
    def _moved(self, names: set[str], move: Callable[..., None]) -> Iterator[None]:
        """Change these weights of the reference during the block, each by `move`."""
        weights = {name: value for name, value in self._maker.reference.weights().items() if name in names}
        originals = {name: value.clone() for name, value in weights.items()}
        trained = self._constant | self._drawn
        try:
            with torch.inference_mode():  # a reference may have made its weights in it
                for name, value in weights.items():
                    if _moves(value) and name not in self._known:
                        move(value, trained=name in trained)
            yield
        finally:
            with torch.inference_mode():
                for name, value in weights.items():
                    value.copy_(originals[name])


def _is_constant(value: torch.Tensor) -> bool:
    return bool((value == value.flatten()[0]).all())


def _is_scale(weight: torch.Tensor) -> bool:
    """Return whether a weight of one value throughout is positive, and more than a number."""
    return not weight.is_complex() and weight.numel() > 1 and float(weight.flatten()[0]) > 0


def _is_known(buffer: torch.Tensor) -> bool:
    """Return whether a buffer holds a mask, counts or places."""
    if not buffer.numel() or buffer.is_complex() or _is_constant(buffer):
        return False
    return is_whole(buffer) or bool(buffer.isinf().any())


def _moves(value: torch.Tensor) -> bool:
    """Return whether a weight can be changed in place: torch computes nothing in fp8."""
    return is_number(value) and value.dtype.itemsize > 1


def _move(value: torch.Tensor, *, trained: bool) -> None:
    """Change a weight in place by about a quarter of its size. Signs stay, and statistics stay positive."""
    if value.is_complex():
        value = torch.view_as_real(value)
    size = rms(value.reshape(-1))
    if not trained:
        value.mul_(1 - _SHARE).add_(value.abs().mean() * (_SHARE / 2))
    elif size < _HIDING and _is_constant(value):
        value.add_(torch.rand_like(value) * _SHARE)
    else:
        value.mul_(1 + (torch.rand_like(value) * 2 - 1) * _SHARE).add_(value.sign() * size * (_SHARE / 2))


def _give_signs(value: torch.Tensor, *, trained: bool) -> None:
    """Give a weight random signs in place, or leave one alone that is not trained."""
    if trained:
        value.mul_(torch.where(torch.rand(value.shape, device=value.device) < 0.5, -1, 1))
