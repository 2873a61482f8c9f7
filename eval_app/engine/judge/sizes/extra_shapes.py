"""Beyond the task's own arguments: declared configurations, which must pass, and other sizes, which are only
labelled."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from functools import partial

import torch

from eval_app.engine.contract.configs import TaskConfig
from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge.calls.diagnosis import example_of
from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.checks import result_memory
from eval_app.engine.judge.checks.kept_weights import look_at_weights
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.clock.timed_checks import check_family
from eval_app.engine.judge.sizes.shape_sweep import ShapeSweep
from eval_app.engine.judge.sizes.shapes import Shape, alternative_shapes
from eval_app.engine.judge.task.cases import Case, CaseMaker
from eval_app.engine.judge.verdicts import (
    ReferenceFaultError,
    RejectedError,
    RunnerLostError,
    UnreviewedError,
)

_CALLS_A_CONFIG = 2
# Share of the job's total time for configurations.
_TIME_SHARE = 1 / 3
# Share of a role's memory limit for one configuration, or for buffers larger than the task's own; inputs and outputs
# exist several times.
_MEMORY_SHARE = 1 / 12
_MAX_SHAPE_TRIES = 3
# Outcomes of a model that cannot be built twice, which says nothing of its values.
_UNBUILT = ("runtime_error", "wrong_structure", "out_of_memory", "unsupported")


class ExtraShapes:
    """Runs one candidate on arguments other than the task's own."""

    def __init__(
        self, session: Session, maker: CaseMaker, trials: Trials, profile: Profile, sweep: ShapeSweep | None
    ) -> None:
        """Store the session after all trials on the task's own arguments; `sweep` times what passes."""
        self._session, self._maker, self._trials, self._profile = session, maker, trials, profile
        self._sweep = sweep
        # What passed: declared configurations, and other sizes.
        self._passed: list[TaskConfig] = []
        self._fitting: list[Shape] = []
        self._reference = maker.reference
        self._own_weights = trials.weights

    def run_configs(self, declared: list[TaskConfig]) -> None:
        """Run trials on declared configurations, drawn if there are more than the profile allows. Raises
        RejectedError at the first failure. One that the reference rejects, or that is too large, is skipped
        with the reason; one without time or memory left, which a candidate may have used up, is a finding too."""
        drawn = sorted(declared, key=lambda _: secrets.randbits(32))[: self._profile.configs_max]
        deadline = time.monotonic() + self._profile.total_timeout_s * _TIME_SHARE
        for config in drawn:
            if time.monotonic() > deadline:
                self._leave_untried(config, "no time left")
                continue
            try:
                self._run_config(config, deadline)
            except ReferenceFaultError as error:
                self._skip(f"config {config.name}", f"the reference rejects it: {error}")
            except torch.OutOfMemoryError:
                self._leave_untried(config, "it does not fit into the judge's memory")
            except RejectedError as error:
                error.detail = f"under the configuration {config.name}: {error.detail}"
                raise
        if self._reference.config != "own":
            self._restore()

    def _leave_untried(self, config: TaskConfig, reason: str) -> None:
        self._skip(f"config {config.name}", reason)
        text = f"nothing shows that it is right under {config.name}: {reason}"
        self._trials.note("audit", "config_untried", text)

    def time_configs(self) -> bool:
        """Time the configurations that passed, if a sweep is wanted; return whether the candidate is still usable."""
        if self._sweep is None or not self._passed:
            return True
        for config in self._passed:
            self._sweep.time(config.name, partial(self._configured, config), declared=True)
        try:
            self._restore()
        except (RejectedError, RunnerLostError):
            self._sweep.end()
        return self._sweep.usable

    def _configured(self, config: TaskConfig) -> CaseMaker:
        """Set both sides up for a configuration that passed; return the maker of its cases."""
        seed = secrets.randbits(62)
        self._reference.configure(config, seed)
        self._set_up(self._maker.make(), seed)
        return self._maker

    def _run_config(self, config: TaskConfig, deadline: float) -> None:
        seed = secrets.randbits(62)
        self._reference.configure(config, seed)
        case = self._maker.make()
        if self._is_too_large(case):
            self._skip(f"config {config.name}", _too_large(case))
            return
        self._set_up(case, seed)
        self._trials.record.configs.append(config.name)
        for _ in range(_CALLS_A_CONFIG):
            self._trials.check(case)
            case = self._maker.make()
        del case  # a case of a large task is a good part of the device
        self._try_families(config, deadline)
        if time.monotonic() > deadline:
            self._leave_untried(config, "no time left for what becomes of its results")
        else:
            result_memory.look(self._trials, self._profile.total_timeout_s)
        look_at_weights(self._trials)
        self._passed.append(config)

    def _try_families(self, config: TaskConfig, deadline: float) -> None:
        """Check a call on each family that the task's own arguments were tried on: others may lead elsewhere."""
        for name in self._trials.families:
            if time.monotonic() > deadline:
                self._leave_untried(config, "no time left for all families of values")
                return
            check_family(self._trials, self._maker.make_or_own(name))

    def _set_up(self, case: Case, seed: int) -> None:
        self._session.fit(case)
        self._build(seed)

    def _build(self, seed: int) -> None:
        weights = self._session.build(seed)
        if weights == "seeded" and self._own_weights == "state_dict":
            detail = self._session.give_weights()[1]
            raise RejectedError("wrong_structure", f"its weights cannot be set from the state_dict: {detail}")

    def _restore(self) -> None:
        """Return both sides to the task's own arguments."""
        seed = secrets.randbits(62)
        self._reference.configure(None, seed)
        self._session.build(seed)

    def try_another_model(self) -> bool:
        """Check a call of a second model with other weights, as each layer of a network has its own: packed weights
        that a program keeps by shape or address are another model's then. Raises RejectedError if it is wrong; returns
        whether the candidate's process is still usable. One that cannot be built twice is not asked.

        Models under declared configurations were built anew, each with weights of its own.
        """
        if not self._reference.weights() or self._passed:
            return True
        try:
            return not self._build_beside() or self._is_right_beside()
        except (ReferenceFaultError, torch.OutOfMemoryError, UnreviewedError):
            return True
        except RunnerLostError:
            return False
        except RejectedError as error:
            if error.outcome != "timeout":  # the first model was built, and called, in time
                raise
            return False

    def _build_beside(self) -> bool:
        """Build a second model on both sides; return whether the candidate's can be built. If not, the first stays."""
        reference, seed = self._reference, secrets.randbits(62)
        before = reference.model, reference.init_arguments
        reference.configure(None, seed)
        try:
            self._session.build(seed, beside=True)
        except RejectedError as error:
            if error.outcome not in _UNBUILT:
                raise
            reference.model, reference.init_arguments = before
            return False
        return True

    def _is_right_beside(self) -> bool:
        """Check a call of the second model; return whether it gives anything."""
        case = self._maker.make()
        self._session.release_cache()
        try:
            found = self._trials.another_difference(case)
        except RejectedError as error:
            if error.outcome not in _UNBUILT:
                raise
            return False
        if found.wrong:
            self._maker.confirm(case, self._trials.tolerance_of(case))
            text = f"{found.wrong} of {found.total} elements differ{example_of(found)}"
            raise RejectedError(
                "wrong_value", f"in a second model of the same class, with other weights: {text}"
            )
        return True

    def run_shapes(self) -> None:
        """Run other sizes, last of all, because they may crash a kernel made for one size. They are
        undeclared, so failures are labelled and reject nothing. Then time those that passed, if a sweep is wanted."""
        usable = self._try_shapes()
        if self._sweep is None:
            return
        if not usable:
            self._sweep.end()
        for shape in self._fitting:
            self._sweep.time(shape.note, partial(CaseMaker, self._reference, shape.make), declared=False)

    def _try_shapes(self) -> bool:
        """Return whether the candidate's process is still usable."""
        tried = 0
        for shape in self._candidates():
            case = self._case(shape)
            if case is None:
                continue
            tried += 1
            if not self._try(shape, case):
                return False
            if tried >= self._profile.shapes:
                break
        return True

    def _candidates(self) -> Iterator[Shape]:
        """Yield more shapes than needed: the reference may reject some."""
        try:
            yield from alternative_shapes(self._reference)[: self._profile.shapes * _MAX_SHAPE_TRIES]
        except ReferenceFaultError as error:
            self._skip("shapes", str(error))

    def _case(self, shape: Shape) -> Case | None:
        try:
            case = self._maker.from_inputs("natural", shape.make(secrets.randbits(62)), secrets.randbits(31))
        except ReferenceFaultError as error:
            self._skip(f"shape {shape.note}", f"the reference rejects it: {error}")
            return None
        except torch.OutOfMemoryError:
            self._skip(f"shape {shape.note}", "it does not fit into the judge's memory")
            return None
        if self._is_too_large(case) and not self._session.holds(case):
            self._skip(f"shape {shape.note}", _too_large(case))
            return None
        case.shape_note = shape.note
        return case if case.finite() else None

    def _is_too_large(self, case: Case) -> bool:
        return case.size_bytes > self._profile.memory_bytes * _MEMORY_SHARE

    def _try(self, shape: Shape, case: Case) -> bool:
        """Compare one call; return whether the candidate's process is still usable."""
        trials = self._trials
        try:
            self._session.fit(case)
            self._session.be_patient()
            total = trials.difference(case, self._session.run(case)).total
        except RejectedError as error:
            self._label(case, f"{error.outcome}: {error.detail}")
            return error.outcome in ("runtime_error", "wrong_structure")
        except RunnerLostError:
            self._label(case, "its process ended")
            return False
        trials.record.list_row(case, total)
        if total.wrong:
            self._label(case, f"{total.wrong} of {total.total} elements are wrong, and no error is raised")
        else:
            self._fitting.append(shape)
        return True

    def _label(self, case: Case, what: str) -> None:
        text = (
            f"it works for the task's own sizes; with {case.shape_note}, which the reference accepts: {what}"
        )
        self._trials.note("label", "fixed_shape", text)
        if self._sweep:
            self._sweep.leave_out(case.shape_note, f"it fails there: {what}", declared=False)

    def _skip(self, name: str, reason: str) -> None:
        kind, _, size = name.partition(" ")
        if self._sweep:
            self._sweep.leave_out(size or kind, reason, declared=kind == "config")
        if len(self._trials.skipped) < 39:
            self._trials.skipped[name[:200]] = reason[:290]


def _too_large(case: Case) -> str:
    return f"{case.size_bytes / 2**20:.0f} MiB of inputs and outputs are too much"
