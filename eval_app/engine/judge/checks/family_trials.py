"""Trials on value families, and on other values of what the task itself never varies."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Protocol

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from eval_app.engine.judge.calls.conduct import Results, plain_moves
from eval_app.engine.judge.calls.diagnosis import wrong_before
from eval_app.engine.judge.calls.session import CallResult
from eval_app.engine.judge.comparison.compare import Difference, Tolerance
from eval_app.engine.judge.comparison.explained import Moves
from eval_app.engine.judge.last_bits.conversions import ConversionsWatched
from eval_app.engine.judge.last_bits.neighbours import widened
from eval_app.engine.judge.last_bits.ties import ChoicesWatched, TiesBroken, are_moved
from eval_app.engine.judge.task.arguments import never_given
from eval_app.engine.judge.task.cases import Case, CaseMaker
from eval_app.engine.judge.task.reference import require_context
from eval_app.engine.judge.values import eight_bits, families, unvaried
from eval_app.engine.judge.verdicts import ReferenceFaultError, UnprovenError
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import unflatten

_AMBIGUOUS = "an output holds integers, and equal values make its indices ambiguous"


class Judging(Protocol):
    """The part of `trials.Trials` that judges calls and keeps what came of them."""

    maker: CaseMaker
    first: Case | None
    families: list[str]
    skipped: dict[str, str]

    def check(self, case: Case) -> CallResult:
        """Make one call and compare it with the truth."""

    def tolerance(self, *, own: bool) -> Tolerance:
        """Return the tolerance on the task's own values, or on others."""

    def another_call(self, case: Case, *, early: bool = False) -> tuple[Difference, Results | None]:
        """Return how far the outputs of one more call, which is not recorded, are from the truth, and if they are wrong
        these outputs."""

    def gives_other_places(self, case: Case) -> bool:
        """Return whether one more call, which is not recorded, gives other integers than the reference."""

    def note(self, severity: str, code: str, detail: str) -> None:
        """Record a finding."""


class FamilyTrials:
    """Runs one trial per family."""

    def __init__(self, trials: Judging) -> None:
        """Store the trials, which judge each call."""
        self._trials = trials

    def run(self, names: Sequence[str]) -> None:
        """Run the families and then the constants. Raises RejectedError at the first failure."""
        if self._trials.maker.reference.domain is families.Domain.OWN:
            text = "the reference ends the GPU's context there: no family leaves the range of the task's own"
            self._trials.skipped["beyond_own_values"] = text
        for name in names:
            self._try_family(name)
        self._try_constants()

    def _try_family(self, name: str) -> None:
        trials = self._trials
        try:
            case = trials.maker.make(name)
        except families.NotApplicableError as error:
            trials.skipped[name] = str(error)
            return
        except ReferenceFaultError as error:
            require_context(error)
            trials.skipped[name] = f"the reference rejects such values: {error}"[:290]
            return
        reason = self._unfit(name, case) or self._judge(case)
        if reason:
            trials.skipped[name] = reason
            return
        trials.families.append(name)

    def _judge(self, case: Case) -> str:
        """Check a call. Return why it proves nothing; empty if it was right. Raises RejectedError if it is wrong.

        Whether last bits decide is only asked where the output is wrong: that takes several calls of the reference.
        """
        is_asked = case.name in families.MAGNIFYING
        found, wrong = self._trials.another_call(case) if is_asked else (Difference(), None)
        reason = self.unsteady(case, found) if found.wrong else ""
        if reason:
            return reason
        try:
            result = self._trials.check(case)
        except UnprovenError as error:
            return str(error)
        if wrong:
            raise wrong_before(case, found, is_same=wrong.same(Results.of(case, result)))
        return ""

    def _try_constants(self) -> None:
        """Move the inputs that the task never varies: all of them, or one at a time where the reference takes no more
        at once. Those that no trial moves are named, and arguments that the task leaves at their defaults."""
        first, never = self._trials.first, self._trials.maker.reference.unvaried
        if first is None:
            return
        inputs = unflatten(first.tree, first.tensors)
        numbers = unvaried.movable(inputs, never)
        # Directions stay in the task's own draws, and change with the families.
        directions = unvaried.measured(inputs, never.fixed) if self._trials.families else set()
        moved: set[int] = set()
        for group in [numbers, *([number] for number in numbers)]:
            if not moved.issuperset(group) and self._try_group(group):
                moved |= set(group)
        if moved:
            self._trials.families.append(unvaried.FAMILY)
        left = unvaried.places(inputs, set(never.fixed) - moved - directions)
        left += never_given(self._trials.maker.reference.model.forward, len(inputs))
        if left:
            text = f"no trial varies {', '.join(left)[:300]}: a kernel that leaves it out would pass"
            self._trials.note("label", "inputs_constant", text)

    def _try_group(self, group: list[int]) -> bool:
        """Check a call with these inputs moved; return whether the reference takes them."""
        trials, maker = self._trials, self._trials.maker
        earlier, maker.movable = maker.movable, [group]
        try:
            case = maker.make(unvaried.FAMILY)
        except ReferenceFaultError as error:
            require_context(error)
            reason = str(error)[:290]
        else:
            unfit = self._unfit(unvaried.FAMILY, case) or self._other_sizes(case)
            reason = unfit or self._judge(case) or self._other_places(case)
        maker.movable = earlier if reason else [*earlier, group]
        if reason:
            trials.skipped[unvaried.FAMILY] = reason
            return False
        trials.skipped.pop(unvaried.FAMILY, None)
        return True

    def _unfit(self, name: str, case: Case) -> str:
        if not (case.finite() or self._masks(case)):
            return "the reference's own output is not finite on such values"
        indices = any(not (t.is_floating_point() or t.is_complex()) for t in case.truth)
        half = any(t.is_floating_point() and t.dtype.itemsize <= 2 for t in case.truth)
        if name == unvaried.FAMILY or not indices:
            return ""
        has_ties = families.has_ties(name, half=half) and not self._compares_alone(case)
        return _AMBIGUOUS if has_ties or self._chooses_among_equals(case) else ""

    def _chooses_among_equals(self, case: Case) -> bool:
        """Return whether many places in the reference's results are those of one of several equal scores."""
        again = self._with_ties_broken(case)
        return again is not None and are_moved(case.truth, again.truth)

    def _with_ties_broken(self, case: Case, *, half: bool = False) -> Case | None:
        """Return what the reference gives where it chooses among equal scores at random, also in half precision if
        asked; None if it fails then."""
        inputs = unflatten(case.tree, [tensor.clone() for tensor in case.tensors])
        try:
            with TiesBroken(half=half):
                return self._trials.maker.from_inputs(case.name, inputs, case.rng)
        except ReferenceFaultError as error:
            require_context(error)
            return None

    def _other_places(self, case: Case) -> str:
        """Return why a call with constants moved says nothing of all outputs: of integers nothing is asked there."""
        return _AMBIGUOUS if self._trials.gives_other_places(case) else ""

    def _masks(self, case: Case) -> bool:
        """Return whether the task gives infinities on its own values as well, as a mask does, and these here come from
        no overflow: a wider precision gives the same."""
        first = self._trials.first
        if first is None or first.finite() or not all(map(_is_real, case.results)):
            return False
        wide = next(widened(self._trials.maker.reference.model, case), None)
        return wide is not None and all(map(_has_same_infinities, wide.tensors, case.results))

    def _other_sizes(self, case: Case) -> str:
        first = self._trials.first
        same = first is not None and [s.shape for s in case.specs] == [s.shape for s in first.specs]
        return "" if same else "the output's sizes depend on such values"

    def unsteady(self, case: Case, found: Difference) -> str:
        """Return why rounding, a choice among equal scores, or a conversion that torch leaves open, explains the wrong
        elements of a call on such values; empty if it does not.

        A norm over equal values divides by a variance of zero and magnifies a last bit three hundred times; so do close
        maxima of a softmax of large ones.
        """
        if families.has_ties(case.name) and self._ties_explain(case, found):
            return "the reference chooses among equal scores, and its results depend on the choice"
        if case.name not in families.MAGNIFYING:
            return ""
        reason = self._nudges_explain(case, found)
        if not reason and self._converts_beyond_integers(case):
            reason = "the reference converts such values to integers that do not hold them"
        return reason

    def _nudges_explain(self, case: Case, found: Difference) -> str:
        """Return why last bits of the inputs explain the wrong elements; empty if they do not."""
        forms = eight_bits.forms(case.tensors)
        for form in forms:
            moves = self._moves(found)
            while not moves.is_decided:
                self._add(moves, self._nudged(case, form), case)
            if moves.explain():
                return "the reference's own output depends on the last bits of such values"
            if moves.moved.max_abs:
                return ""
        is_rejected = len(forms) > 1 and not moves.moved.total
        return "the reference takes such values in eight bits, which have no last ones" if is_rejected else ""

    def _converts_beyond_integers(self, case: Case) -> bool:
        """Return whether the reference converts numbers to integers that do not hold them, on these values alone."""
        return self._overflows(case) and not self._overflows(self._trials.first)

    def _overflows(self, case: Case | None) -> bool:
        if case is None:
            return False
        watched = ConversionsWatched()
        self._call_under(watched, case)
        return watched.overflows

    def settles_places(self, case: Case) -> bool:
        """Return whether the reference says which of equal values its places are those of, on these values."""
        watched = ChoicesWatched()
        return self._call_under(watched, case) and watched.are_settled

    def _compares_alone(self, case: Case) -> bool:
        """Return whether the reference's integers, such as flags and counts, come of comparisons alone."""
        watched = ChoicesWatched()
        return self._call_under(watched, case) and watched.are_compared

    def _call_under(self, mode: TorchDispatchMode, case: Case) -> bool:
        """Call the reference under a mode; return whether it raises nothing."""
        try:
            with mode:
                self._trials.maker.from_inputs(case.name, unflatten(case.tree, case.tensors), case.rng)
        except ReferenceFaultError as error:
            require_context(error)
            return False
        return True

    def _nudged(self, case: Case, form: eight_bits.Form) -> Case | None:
        """Return what the reference gives on other last bits; None if it rejects such values."""
        set_seed(secrets.randbits(62))  # every call of the reference sets the same seed again
        domain = self._trials.maker.reference.domain or families.Domain.UNIT
        tensors = [families.nudge(form(tensor), domain=domain) for tensor in case.tensors]
        nudged = unflatten(case.tree, tensors)
        try:
            return self._trials.maker.from_inputs(case.name, nudged, case.rng)
        except ReferenceFaultError as error:
            require_context(error)
            return None

    def _ties_explain(self, case: Case, found: Difference) -> bool:
        moves = self._moves(found)
        while not moves.is_decided:
            again = self._with_ties_broken(case, half=True)
            if again is None:
                return False
            self._add(moves, again, case)
            if not moves.moved.wrong:
                return False
        return moves.explain()

    def _moves(self, found: Difference) -> Moves:
        return Moves(found, self._trials.tolerance(own=False))

    def _add(self, moves: Moves, again: Case | None, case: Case) -> None:
        plain = plain_moves(case, again) if again else None
        moves.add(again.results_in(case.overwritten) if again else None, case.results, plain)


def _is_real(tensor: torch.Tensor) -> bool:
    return not tensor.is_complex() and tensor.dtype.itemsize > 1


def _has_same_infinities(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Return whether two tensors of one shape hold the same infinities, and no NaN."""
    return not bool(right.isnan().any()) and torch.equal(
        torch.where(left.isinf(), left, 0), torch.where(right.isinf(), right, 0)
    )
