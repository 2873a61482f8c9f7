"""Draws samples into splits in groups, so that nothing a model is tested on was trained on in another guise.

Two samples are in one group if they share a key of `keys`: their task; with PROBLEMS also the benchmark's number
of the task, or its program up to layout, comments and names of nothing; with NEAR_DUPLICATES also their kernel, or its
cluster of similar kernels. Groups are transitive: they are the connected components.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

from datasets_app.curate.row import Row

DRAWS = 2**64
Key = tuple[str, str]  # what is shared, and its value


class Together(StrEnum):
    """What a recipe keeps in one split; each includes those before it."""

    TASKS = "tasks"
    PROBLEMS = "problems"
    NEAR_DUPLICATES = "near_duplicates"


WORDS = {
    Together.TASKS: "samples of a task",
    Together.PROBLEMS: "samples of a problem",
    Together.NEAR_DUPLICATES: "a problem and similar kernels",
}
NEEDS = frozenset({"program", "kernel", "cluster"})  # of Row's fields that cost more to read


def keys(row: Row, together: Together) -> Iterator[Key]:
    """Yield what the row shares with the rows that must be in its split."""
    yield "task", row.task
    if together == Together.TASKS:
        return
    if row.suite and row.problem is not None:
        yield "problem", f"{row.suite}/{'' if row.level is None else row.level}/{row.problem}"
    if row.program:
        yield "program", row.program
    if together == Together.NEAR_DUPLICATES:
        if row.kernel:
            yield "kernel", row.kernel
        if row.cluster:
            yield "cluster", row.cluster


def groups(rows: Iterable[Row], together: Together) -> dict[str, str]:
    """Return each task's group, named by the smallest id of its tasks."""
    parents: dict[str, str] = {}
    first_with: dict[Key, str] = {}
    for row in rows:
        parents.setdefault(row.task, row.task)
        for key in keys(row, together):
            join(parents, row.task, first_with.setdefault(key, row.task))
    return {task: root(parents, task) for task in parents}


def root(parents: dict[str, str], task: str) -> str:
    while parents[task] != task:
        parents[task] = parents[parents[task]]
        task = parents[task]
    return task


def join(parents: dict[str, str], one: str, other: str) -> None:
    """Join two groups; the smaller id leads, so that the order of rows changes nothing."""
    low, high = sorted((root(parents, one), root(parents, other)))
    parents[high] = low


def draw(group: str, seed: int) -> float:
    """Return a number in [0, 1) that depends on the group's name and the seed alone: 8 bytes of a SHA-256."""
    digest = hashlib.sha256(f"{seed}:split:{group}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / DRAWS


def split_of(group: str, seed: int, splits: Mapping[str, float]) -> str:
    """Return the split whose share of [0, 100) holds the group's draw.

    A group keeps its split when others come or go, and may change it when a row joins two groups.
    """
    point = draw(group, seed) * 100
    passed = 0.0
    wanted = [(split, share) for split, share in splits.items() if share > 0]
    for split, share in wanted:
        passed += share
        if point < passed:
            return split
    return wanted[-1][0]
