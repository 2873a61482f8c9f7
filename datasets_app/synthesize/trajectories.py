"""What the turns of a loop came to: each candidate of the first turn with the attempts that go back to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from datasets_app.evidence import devices
from datasets_app.models import Candidate, CandidateState, Evidence, Loop, Sample

PASSED = "passed"
Judged = tuple[Any, str, float | None]  # verification, outcome, speedup


@dataclass(frozen=True)
class Attempt:
    """One answer. `run` is the verification that decides about it on the device; None: there is no verdict."""

    turn: int
    sample: UUID | None = None
    run: Any = None
    outcome: str = ""
    speedup: float | None = None
    refusal: str = ""  # why its answer holds no kernel

    @property
    def merit(self) -> tuple[bool, float]:
        """Return a sort key: what passed before what did not, then the speedup; an unconfirmed one is 0."""
        return self.outcome == PASSED, self.speedup or 0.0


@dataclass(frozen=True)
class Trajectory:
    """The attempts of one candidate of the first turn, by turn."""

    task: UUID
    number: int
    attempts: tuple[Attempt, ...]

    def best(self, turn: int | None = None) -> Attempt | None:
        """Return the best attempt with a verdict, of the turns up to `turn`."""
        judged = [one for one in self.judged if turn is None or one.turn <= turn]
        return max(judged, key=lambda one: one.merit, default=None)

    @property
    def judged(self) -> list[Attempt]:
        return [one for one in self.attempts if one.run is not None]

    def is_good_enough(self, until: float) -> bool:
        best = self.best()
        return best is not None and best.merit >= (True, until)


def trajectories_of(loop: Loop) -> list[Trajectory]:
    """Return the trajectories of a loop, judged on the reference device or the one with most of their evidence."""
    candidates = Candidate.objects.filter(synthesis__loop=loop).order_by("synthesis__turn", "pk")
    verdicts = verdicts_of(Sample.objects.in_use().filter(candidates__synthesis__loop=loop))
    found: dict[tuple[UUID, int], list[Attempt]] = defaultdict(list)
    columns = ("task", "trajectory", "synthesis__turn", "sample", "state", "detail")
    for task, number, turn, sample, state, detail in candidates.values_list(*columns):
        refusal = detail if state == CandidateState.REFUSED else ""
        found[task, number].append(
            Attempt(turn, sample, *verdicts.get(sample, (None, "", None)), refusal=refusal)
        )
    return [Trajectory(task, number, tuple(made)) for (task, number), made in sorted(found.items())]


def verdicts_of(samples: Any) -> dict[Any, Judged]:
    """Return what decides about each sample on the device that judges them."""
    rows = Evidence.objects.on(devices.device_of(samples)).filter(sample__in=samples.order_by().values("pk"))
    columns = ("sample", "verification", "outcome", "speedup")
    return {sample: tuple(verdict) for sample, *verdict in rows.order_by().values_list(*columns)}


def score(trajectories: Sequence[Trajectory], turn: int) -> tuple[int, float]:
    """Return how many trajectories have passed after a turn, and the sum of their best speedups."""
    best: Iterable[Attempt | None] = [one.best(turn) for one in trajectories]
    passed = [one for one in best if one is not None and one.outcome == PASSED]
    return len(passed), sum(one.speedup or 0.0 for one in passed)
