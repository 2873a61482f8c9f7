"""Policies of loops, as pure functions: which answer each trajectory asks for next, and when a loop ends.

Serial refinement is that of Kevin (arXiv:2507.11948) and CudaForge; evolution keeps populations on
islands, as FM Agent (arXiv:2510.26144) and AlphaEvolve do, reduced to what ranks decide: nothing is drawn at random.
With crossover, an answer is told a second kernel of the parent's island.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from datasets_app.models import Loop, LoopEnd, LoopPolicy
from datasets_app.synthesize.trajectories import PASSED, Attempt, Trajectory, score
from datasets_app.synthesize.verbs import LEAST_COST

GAIN = 1.01  # of the summed speedups: less is within what two measurements differ by


@dataclass(frozen=True)
class Step:
    """An answer to ask for. `parent`: the attempt whose kernel and feedback are told; None: the task alone is.
    `mate`: another attempt whose kernel is told beside the parent's, to be combined with it.
    """

    trajectory: Trajectory
    parent: Attempt | None = None
    mate: Attempt | None = None
    refusal: str = ""  # why the answer after the parent could not be used


@dataclass(frozen=True)
class Used:
    """Tokens, and what they cost as far as it is known: of all turns and the judge together."""

    tokens: int = 0
    cost: float | None = None

    def is_all_of(self, loop: Loop) -> bool:
        """Return whether a budget of the loop is used."""
        return (loop.most_tokens is not None and self.tokens >= loop.most_tokens) or (
            # Less than a limit may be is what the sum was rounded by.
            loop.most_cost is not None and loop.most_cost - (self.cost or 0.0) < LEAST_COST
        )


def ending(loop: Loop, trajectories: Sequence[Trajectory], turn: int, used: Used) -> LoopEnd | None:
    """Return the rule that ends the loop after this turn, if one does."""
    if all(one.is_good_enough(loop.until) for one in rivals(loop, trajectories)):
        return LoopEnd.GOOD_ENOUGH
    if turn + 1 >= loop.most_turns:
        return LoopEnd.TURNS
    if used.is_all_of(loop):
        return LoopEnd.BUDGET
    if loop.patience and turn >= loop.patience and not gained(trajectories, turn - loop.patience, turn):
        return LoopEnd.NO_GAIN
    return None


def gained(trajectories: Sequence[Trajectory], before: int, after: int) -> bool:
    passed_before, speed_before = score(trajectories, before)
    passed_after, speed_after = score(trajectories, after)
    return passed_after > passed_before or speed_after > speed_before * GAIN


def rivals(loop: Loop, trajectories: Sequence[Trajectory]) -> Sequence[Trajectory]:
    """Return what must be good enough: every trajectory, or in evolution each task's best one."""
    if not loop.evolves:
        return trajectories
    return [
        max(of_task, key=lambda one: best.merit if (best := one.best()) else (False, 0.0))
        for of_task in by_task(trajectories).values()
    ]


def steps(loop: Loop, trajectories: Sequence[Trajectory], turn: int) -> list[Step]:
    """Return what the next turn, `turn`, asks for; empty if nothing can be asked."""
    return POLICIES[LoopPolicy(loop.policy)](loop, trajectories, turn)


def serial(loop: Loop, trajectories: Sequence[Trajectory], turn: int) -> list[Step]:
    """Answer the newest verdict of each trajectory that is not good enough.

    Where no answer held a kernel so far, the task is asked for again; what waits for a verdict is left alone.
    """
    made = []
    for one in trajectories:
        if one.is_good_enough(loop.until):
            continue
        parent, last = one.judged[-1] if one.judged else None, one.attempts[-1]
        if parent is None and any(attempt.sample for attempt in one.attempts):
            continue
        made.append(Step(one, parent, refusal=last.refusal))
    return made


def best_of_n(loop: Loop, trajectories: Sequence[Trajectory], turn: int) -> list[Step]:
    """Ask again, without feedback, for each trajectory that is not good enough."""
    return [Step(one) for one in trajectories if not one.is_good_enough(loop.until)]


def evolution(loop: Loop, trajectories: Sequence[Trajectory], turn: int) -> list[Step]:
    """Answer the best attempts of each island, one each, until the task has a kernel that is good enough.

    Trajectory n of a task lives on island n mod `islands`. The k-th of an island answers its k-th best attempt, over
    all turns; in every `migrate_every`-th turn it answers one of the next island's instead. With crossover it is told a
    mate from the same island as the parent.
    """
    made = []
    for of_task in by_task(trajectories).values():
        if any(one.is_good_enough(loop.until) for one in of_task):
            continue
        ranked = populations(of_task, loop.islands)
        migrates = loop.islands > 1 and loop.migrate_every > 0 and turn % loop.migrate_every == 0
        for one in of_task:
            home = one.number % loop.islands
            away = (home + 1) % loop.islands
            population = (ranked[away] if migrates else []) or ranked[home]
            place = one.number // loop.islands
            parent = population[place % len(population)] if population else None
            mate = mate_of(parent, population) if loop.policy == LoopPolicy.CROSSOVER else None
            made.append(Step(one, parent, mate))
    return made


def mate_of(parent: Attempt | None, population: Sequence[Attempt]) -> Attempt | None:
    """Return the best of a ranked population that passed and is not the parent, if there is one."""
    return next((one for one in population if one is not parent and one.outcome == PASSED), None)


def populations(trajectories: Sequence[Trajectory], islands: int) -> list[list[Attempt]]:
    """Return each island's attempts with a verdict, the best first; the same sample once."""
    found: list[dict[UUID | None, Attempt]] = [{} for _ in range(islands)]
    for one in trajectories:
        for attempt in one.judged:
            found[one.number % islands].setdefault(attempt.sample, attempt)
    return [sorted(by_sample.values(), key=lambda one: one.merit, reverse=True) for by_sample in found]


def by_task(trajectories: Sequence[Trajectory]) -> dict[UUID, list[Trajectory]]:
    found: dict[UUID, list[Trajectory]] = defaultdict(list)
    for one in trajectories:
        found[one.task].append(one)
    return found


POLICIES: dict[LoopPolicy, Callable[[Loop, Sequence[Trajectory], int], list[Step]]] = {
    LoopPolicy.SERIAL: serial,
    LoopPolicy.BEST_OF_N: best_of_n,
    LoopPolicy.EVOLUTION: evolution,
    LoopPolicy.CROSSOVER: evolution,
}
