"""Chooses the next pair for a reviewer: few comparisons first, never one that the reviewer has judged.

The plan, bounded for any number of samples: tasks are walked by their ids, in a ring that begins at a place of the
reviewer's own, or after the task that they compared last, `TASKS_PER_READ` at a time; of each task, the first
`SAMPLES_PER_TASK` samples are read, those that passed first. The walk ends at the first pair that nobody has compared;
otherwise, of those of `TASKS_PER_READ` tasks or somewhat more, the one with the fewest comparisons is chosen. At most
`MOST_TASKS` tasks are read per request; the next request goes on after them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, Exists, IntegerField, OuterRef, Value, When

from datasets_app.models import Outcome, Preference, Sample, Task
from datasets_app.models.honeypot import honeypot_ids
from datasets_app.models.preference import PreferenceQuerySet
from datasets_app.models.sample import superseded_ids

TASKS_PER_READ = 10
MOST_TASKS = 40
SAMPLES_PER_TASK = 24

Pair = tuple[UUID, UUID]


@dataclass(frozen=True)
class NextPair:
    """The pair to compare, left sample first; None if there is none among the tasks that were read.

    `task` is the last task that was read, after which the next search begins; `is_end`: all tasks were read.
    """

    pair: Pair | None
    task: UUID | None
    is_end: bool = True


def sided(reviewer_id: Any, one: UUID, other: UUID) -> Pair:
    """Return the two samples, left one first: shuffled by reviewer and pair, so that a reload shows the same sides."""
    first, second = ordered(one, other)
    return (second, first) if digest(reviewer_id, first, second)[0] % 2 else (first, second)


def ordered(one: UUID, other: UUID) -> Pair:
    """Return the two ids in one order, whichever was on the left."""
    return (one, other) if one.int < other.int else (other, one)


def digest(*parts: Any) -> bytes:
    return hashlib.sha256(":".join(map(str, parts)).encode()).digest()


def next_pair(reviewer: Any, after: UUID | None = None) -> NextPair:
    """Return the next pair for a reviewer, from the tasks after `after`, else after the one compared last."""
    start = after or last_task(reviewer) or UUID(bytes=digest("first task", reviewer.pk)[:16])
    read, last, best = 0, None, None
    barred = honeypot_ids()
    for tasks in rings(start):
        for task, pair, times in candidates(reviewer, tasks, barred):
            last = task
            if pair and not times:
                return NextPair(sided(reviewer.pk, *pair), task)
            if pair and (best is None or times < best[0]):
                best = times, pair, task
        read += len(tasks)
        if read >= (TASKS_PER_READ if best else MOST_TASKS):
            break
    if best:
        return NextPair(sided(reviewer.pk, *best[1]), best[2])
    return NextPair(None, last, is_end=read < MOST_TASKS)


def last_task(reviewer: Any) -> UUID | None:
    """Return the task that the reviewer compared last: those before it are done, and not searched each time."""
    return Preference.objects.standing().filter(reviewer=reviewer).values_list("task", flat=True).first()


def rings(start: UUID) -> Iterator[list[UUID]]:
    """Yield the ids of tasks that have two samples or more, a few at a time, from `start` around to it."""
    second = Sample.objects.filter(task=OuterRef("pk")).order_by()[1:2]
    tasks = Task.objects.filter(Exists(second)).order_by("pk").values_list("pk", flat=True)
    for part in (tasks.filter(pk__gt=start), tasks.filter(pk__lte=start)):
        at = 0
        while some := list(part[at : at + TASKS_PER_READ]):
            yield some
            at += len(some)


def candidates(
    reviewer: Any, tasks: list[UUID], barred: set[UUID]
) -> Iterator[tuple[UUID, Pair | None, int]]:
    """Yield each task with its pair that was compared least and not by this reviewer, and how often it was."""
    standing = Preference.objects.standing().filter(task__in=tasks).order_by()
    times = counted(standing)
    mine = counted(standing.filter(reviewer=reviewer))
    for task in tasks:
        pairs = (ordered(one, other) for one, other in combinations(first_samples(task, barred), 2))
        open_pairs = [pair for pair in pairs if pair not in mine]
        least = min(open_pairs, key=lambda pair: (times[pair], digest(reviewer.pk, *pair)), default=None)
        yield task, least, times[least] if least else 0


def counted(preferences: PreferenceQuerySet) -> Counter[Pair]:
    """Return how often each pair was compared, whichever sample was on the left."""
    counts: Counter[Pair] = Counter()
    for left, right, times in preferences.values_list("left_id", "right_id").annotate(times=Count("pk")):
        counts[ordered(left, right)] += times
    return counts


def first_samples(task: UUID, barred: set[UUID]) -> list[UUID]:
    """Return the task's samples that are offered: neither honeypots nor superseded, those that passed first."""
    passed = Case(When(outcome=Outcome.PASSED, then=Value(0)), default=Value(1), output_field=IntegerField())
    offered = (
        Sample.objects.in_use().filter(task=task).exclude(pk__in=barred).exclude(pk__in=superseded_ids())
    )
    return list(offered.order_by(passed, "pk").values_list("pk", flat=True)[:SAMPLES_PER_TASK])
