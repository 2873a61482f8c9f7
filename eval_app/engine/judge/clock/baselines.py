"""Baselines besides eager: the reference compiled, and the reference in a CUDA graph.

Every call of a mode is compared with the truth and timed alternately with eager on the same fresh values, so
that a later eager run can scale the stored time by the ratio of eager's medians.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge.clock.statistics import relative_error, spread
from eval_app.engine.judge.comparison.compare import Tolerance, compare
from eval_app.engine.judge.task.cases import Case, CaseMaker
from eval_app.engine.judge.task.reference import Reference, flatten_output
from eval_app.engine.judge.verdicts import ReferenceFaultError
from eval_app.engine.shared.calls import Caller
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import unflatten

_SEED = 0x5EED
_CAPTURE_WARM_UPS = 3
_PAIRS_MIN = 5


@dataclass(frozen=True)
class Mode:
    """One way to run the reference: `place` copies a call's inputs, untimed, to where `run` reads them."""

    place: Callable[[list[torch.Tensor]], None]
    run: Callable[..., Any]


class BaselineUnfitError(RuntimeError):
    """The task does not support this mode, or the mode does not give the truth; the message says why."""


def measure(mode: str, source: str, folder: Path, device: torch.device, profile: Profile) -> dict[str, Any]:
    """Return `{"eager": spread, "mode": spread, "compile_s": seconds}` for one mode, or `{"missing": reason}`."""
    reference = Reference(source, folder, device, _SEED)
    maker = CaseMaker(reference)
    started = time.perf_counter()
    try:
        runner = _MODES[mode](reference, maker.make())
        rounds = _Rounds(maker, runner, profile)
        rounds.warm_up()
        compile_s = time.perf_counter() - started
        rounds.collect()
    except (ReferenceFaultError, torch.OutOfMemoryError):
        raise
    except BaselineUnfitError as error:
        return {"missing": str(error)[:300]}
    except Exception as error:  # a compiler may fail on any program: that is the result
        first_line = str(error).strip().partition("\n")[0]
        return {"missing": f"{type(error).__name__}: {first_line}"[:300]}
    return {"eager": spread(rounds.eager), "mode": spread(rounds.mode), "compile_s": compile_s}


class _Rounds:
    """Alternating calls of eager and one mode."""

    def __init__(self, maker: CaseMaker, mode: Mode, profile: Profile) -> None:
        self._maker, self._run_mode, self._profile = maker, mode, profile
        self._caller = Caller(maker.reference.device)
        self._tolerance = Tolerance(profile.tolerance_fp32, profile.tolerance_half, profile.tolerance_fp64)
        self.eager: list[float] = []
        self.mode: list[float] = []

    def warm_up(self) -> None:
        """Compile in the first call, then warm up for as long as the profile warms up a candidate."""
        self._call(self._maker.make())
        started = time.perf_counter()
        for call in range(10_000):
            elapsed_s = time.perf_counter() - started
            profile = self._profile
            if (call >= profile.warmup_calls and elapsed_s >= profile.warmup_s) or (
                call >= 3 and elapsed_s > 1.0
            ):
                return
            self._call(self._maker.make())

    def collect(self) -> None:
        """Time pairs under the limits of `timing.measure`."""
        profile = self._profile
        deadline = time.perf_counter() + profile.timing_budget_s
        while len(self.mode) < profile.timings_max and not self._enough():
            if time.perf_counter() > deadline and len(self.mode) >= min(profile.timings_min, _PAIRS_MIN):
                return
            for case in [self._maker.make() for _ in range(4)]:
                self.mode.append(self._call(case))
                self.eager.append(case.reference_ms)

    def _enough(self) -> bool:
        if len(self.mode) < max(self._profile.timings_min, 1):
            return False
        return max(relative_error(self.mode), relative_error(self.eager)) <= self._profile.target_error

    def _call(self, case: Case) -> float:
        """Time one call as the reference's own is timed, and compare its outputs."""
        copies = [tensor.clone() for tensor in case.tensors]
        self._run_mode.place(copies)
        set_seed(case.rng)
        self._caller.prepare(case.specs)
        timed = self._caller.call(self._run_mode.run, unflatten(case.tree, copies))
        self._check(case, timed.result)
        return timed.ms

    def _check(self, case: Case, result: Any) -> None:
        outputs = flatten_output(result)[1]
        if [tuple(t.shape) for t in outputs] != [tuple(t.shape) for t in case.truth]:
            raise BaselineUnfitError("its output shapes differ from eager's")
        for got, truth in zip(outputs, case.truth, strict=True):
            wrong = compare(got, truth, self._tolerance).wrong
            if wrong:
                raise BaselineUnfitError(f"{wrong} of {truth.numel()} elements differ from eager's")


def _compiled(reference: Reference, first: Case, mode: str | None) -> Mode:
    return Mode(_leave, torch.compile(reference.model, mode=mode, dynamic=False))


def _leave(inputs: list[torch.Tensor]) -> None:
    """Leave the inputs in place: a compiled call reads them anywhere."""


def _default(reference: Reference, first: Case) -> Mode:
    return _compiled(reference, first, None)


def _max_autotune(reference: Reference, first: Case) -> Mode:
    return _compiled(reference, first, "max-autotune")


def _graphed(reference: Reference, first: Case) -> Mode:
    """Capture eager once for replay; inputs are copied into the captured buffers, untimed."""
    held = [tensor.clone() for tensor in first.tensors]
    inputs = unflatten(first.tree, held)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(_CAPTURE_WARM_UPS):
            reference.model(*inputs)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = reference.model(*inputs)

    def place(values: list[torch.Tensor]) -> None:
        for target, value in zip(held, values, strict=True):
            target.copy_(value)

    def replay(*_: Any) -> Any:
        graph.replay()
        return captured

    return Mode(place, replay)


_MODES: dict[str, Callable[[Reference, Case], Mode]] = {
    "compile": _default, "max-autotune": _max_autotune, "cudagraph": _graphed,
}  # fmt: skip
