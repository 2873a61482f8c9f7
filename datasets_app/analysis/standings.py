"""Generators compared over tasks: pass@k, the share that is faster than eager, the fastest kernels' speedup.

Every task counts once, however many samples a generator has of it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, Max, Q

from datasets_app.analysis.measure import PASSED, decided
from datasets_app.analysis.metrics import pass_at
from datasets_app.analysis.statistics import wilson
from datasets_app.models.sample import SampleQuerySet

GENERATORS = 15
SEVERAL = 5  # the k of pass@k beside pass@1
CHUNK = 5000
FASTER = PASSED & Q(speedup_there__gt=1)


@dataclass
class Standing:
    """Sums over the tasks of which a generator has verified samples."""

    generator: str
    tasks: int = 0
    verified: int = 0
    right: float = 0.0  # sum of the tasks' shares that passed
    faster: float = 0.0  # of those that passed and were faster than eager
    several: float = 0.0  # of pass@SEVERAL, over the tasks with so many verified samples
    tasks_of_several: int = 0
    log_speedup: float = 0.0  # natural, of the fastest kernel of each task with one that passed
    timed_tasks: int = 0

    def add(self, n: int, passed: int, faster: int, best: float | None) -> None:
        self.tasks += 1
        self.verified += n
        self.right += passed / n
        self.faster += faster / n
        if n >= SEVERAL:
            self.tasks_of_several += 1
            self.several += pass_at(SEVERAL, n, passed)
        if best:
            self.timed_tasks += 1
            self.log_speedup += math.log(best)

    @property
    def pass_at_1(self) -> float:
        return self.right / self.tasks

    @property
    def pass_at_several(self) -> float | None:
        return self.several / self.tasks_of_several if self.tasks_of_several else None

    @property
    def fast_1(self) -> float:
        return self.faster / self.tasks

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of fast_1: Wilson's, as if each task were one trial, which is at least as wide."""
        return wilson(self.faster, self.tasks)

    @property
    def best_speedup(self) -> float | None:
        """Return the geometric mean over tasks of the fastest kernel's speedup."""
        return math.exp(self.log_speedup / self.timed_tasks) if self.timed_tasks else None


def leaderboard(samples: SampleQuerySet) -> list[Standing]:
    """Return the generators with most tasks, the best first; one query, a row per task.

    The lower end of fast_1's interval decides, so that one lucky task leads no board; then pass@1.
    """
    rows = decided(samples).order_by().values("generator", "task")
    counted = rows.annotate(
        n=Count("pk"),
        passed=Count("pk", filter=PASSED),
        faster=Count("pk", filter=FASTER),
        best=Max("speedup_there", filter=PASSED),
    ).values_list("generator", "n", "passed", "faster", "best")
    found: dict[str, Standing] = defaultdict(lambda: Standing(""))
    for generator, *numbers in counted.iterator(chunk_size=CHUNK):
        standing = found[generator]
        standing.generator = generator or "unknown"
        standing.add(*numbers)
    most = sorted(found.values(), key=lambda one: (-one.tasks, one.generator))[:GENERATORS]
    return sorted(most, key=lambda one: (-one.interval[0], -one.pass_at_1, one.generator))
