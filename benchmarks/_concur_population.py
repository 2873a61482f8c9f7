"""A made population like the one that ConCuR chose from, with what its recipe must find planted in it.

The paper's numbers: 18,162 tasks of 5 generations, 24,136 correct ones over 9,789 tasks; 3,934 tasks whose fastest
kernel has the shortest trace, 414 more with a speedup over 5, 544 more with one operator. How far the criteria overlap
is not published; here some tasks meet two or three, so that an ablation finds rows that the recipe does not.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

from datasets_app.curate.row import Row

GENERATIONS = 5
NAMESPACE = uuid.UUID(int=2025)
KINDS = ("matmul", "convolution", "elementwise", "reduction", "scan")
ABOVE = 5.0  # criterion (b)


@dataclass(frozen=True)
class Size:
    """How much is planted. Every number counts tasks, but `correct`, which counts samples."""

    tasks: int = 18_162
    solved: int = 9_789  # with a correct sample
    correct: int = 24_136
    concise: int = 3_934  # criterion (a)
    fast: int = 414  # criterion (b), and not (a)
    single: int = 544  # criterion (c), and neither of these
    concise_and_fast: int = 300
    concise_and_single: int = 500  # the first 40 of them fast as well
    fast_and_single: int = 60


@dataclass(frozen=True)
class Planted:
    """One solved task as it was planned. `speedup`: of its fastest kernel."""

    task: str
    fastest: str  # id of the sample
    concise: bool
    single: bool
    speedup: float
    kind: str


def ident(*names: object) -> str:
    return str(uuid.uuid5(NAMESPACE, " ".join(map(str, names))))


class Population:
    """Rows, shuffled, and the plan that they follow."""

    def __init__(self, size: Size, seed: int = 1) -> None:
        self.size, self.random = size, random.Random(seed)  # not for secrets
        self.plan: list[Planted] = []
        self.rows: list[Row] = []
        counts = self.correct_counts()
        for number in range(size.tasks):
            self.rows += (
                self.solved(number, counts[number]) if number < size.solved else self.unsolved(number)
            )
        self.random.shuffle(self.rows)

    def correct_counts(self) -> list[int]:
        """Return each solved task's correct samples. One alone is both fastest and shortest, so others have two."""
        counts = [1 if number < self.size.concise else 2 for number in range(self.size.solved)]
        left = self.size.correct - sum(counts)
        while left:
            at = self.random.randrange(len(counts))
            if counts[at] < GENERATIONS:
                counts[at] += 1
                left -= 1
        return counts

    def is_fast(self, number: int) -> bool:
        size, beyond = self.size, number - self.size.concise
        first = size.concise_and_single - size.concise_and_fast // 7
        return 0 <= beyond < size.fast or first <= number < first + size.concise_and_fast

    def is_single(self, number: int) -> bool:
        size, beyond = self.size, number - self.size.concise
        return (
            number < size.concise_and_single
            or 0 <= beyond < size.fast_and_single
            or size.fast <= beyond < size.fast + size.single
        )

    def solved(self, number: int, correct: int) -> Iterator[Row]:
        concise, single = number < self.size.concise, self.is_single(number)
        best = (
            ABOVE + 0.01 + self.random.random() * 20
            if self.is_fast(number)
            else 0.3 + self.random.random() * 4.7
        )
        if number % 50 == 0 and not self.is_fast(number):
            best = ABOVE  # at the bound, and not over it
        kind, length = KINDS[self.random.randrange(len(KINDS))], self.random.randrange(2000, 9000)
        self.plan.append(Planted(ident(number), ident(number, 0), concise, single, best, kind))
        for turn in range(GENERATIONS):
            is_correct = turn < correct
            speedup = best if turn == 0 else best * (1 - turn / 10)
            tokens = length if turn == 0 else length + turn * (100 if concise else -100)
            if turn == 1 and number % 10 == 0:
                speedup, tokens = (
                    (best, tokens) if concise else (speedup, tokens)
                )  # as fast, and its trace is longer
            elif turn == 1 and number % 10 == 1 and concise:
                tokens = length  # as short: a tie counts for the task
            yield self.row(number, turn, is_correct, speedup, tokens if is_correct else 50, kind, single)

    def unsolved(self, number: int) -> Iterator[Row]:
        for turn in range(GENERATIONS):
            yield self.row(
                number, turn, False, 0.0, self.random.randrange(50, 20_000), KINDS[turn % 5], turn % 2 == 0
            )

    def row(
        self, number: int, turn: int, is_correct: bool, speedup: float, tokens: int, kind: str, single: bool
    ) -> Row:
        """Return a sample. A wrong one claims to be fast, and its trace is the shortest of its task."""
        traced = number % 3 == 0  # then the executed calls count, whatever the text says
        return Row(
            id=ident(number, turn),
            task=ident(number),
            task_name=f"task {number}",
            kind=kind,
            operators=3 if traced == single else 1,
            operator_calls=(1 if single else 2) if traced else None,
            source="KernelBook",
            generator="kevin-32b",
            language="cuda",
            trace_tokens=tokens,
            claimed_speedup=90.0,
            outcome="passed" if is_correct else "wrong_value",
            measured_speedup=speedup if is_correct else None,
        )


def expected(plan: list[Planted], most_single: int, without: str = "") -> dict[str, str]:
    """Return the sample ids that the recipe, or an ablation of it, must choose, each with its criterion."""
    found: dict[str, str] = {}
    left = plan
    if without != "fastest_is_shortest":
        found |= {task.fastest: "fastest_is_shortest" for task in left if task.concise}
    left = [task for task in left if task.fastest not in found]
    if without != "fastest_above":
        found |= {task.fastest: "fastest_above" for task in left if task.speedup > ABOVE}
    left = [task for task in left if task.fastest not in found]
    if without != "single_operator":
        found |= dict.fromkeys(
            in_turn([task for task in left if task.single], most_single), "single_operator"
        )
    return found


def in_turn(tasks: list[Planted], most: int) -> list[str]:
    """Return the fastest of each kind, then the second of each, and so on."""
    piles = {
        kind: sorted(
            (task for task in tasks if task.kind == kind), key=lambda task: (task.speedup, task.fastest)
        )
        for kind in sorted({task.kind for task in tasks})
    }
    taken: list[str] = []
    while len(taken) < most and any(piles.values()):
        for pile in piles.values():
            if pile and len(taken) < most:
                taken.append(pile.pop().fastest)
    return taken
