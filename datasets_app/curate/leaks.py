"""Finds what is in more than one split of a selection: the same problem, program, kernel or near-duplicate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from datasets_app.curate.row import Row
from datasets_app.curate.splits import WORDS, Key, Together, groups, keys

SHOWN = 20
NOUNS = {  # in the order in which they are said
    "task": ("task", "tasks"),
    "problem": ("problem", "problems"),
    "program": ("program", "programs"),
    "kernel": ("kernel", "kernels"),
    "cluster": ("cluster of similar kernels", "clusters of similar kernels"),
}


@dataclass(frozen=True)
class Leak:
    """One thing that several splits share. `examples`: one sample of each split."""

    what: str  # a key of NOUNS
    value: str
    rows: int
    examples: dict[str, str]  # split to sample id

    def words(self) -> str:
        """Return such as "problem KernelBench/1/23 in test and train"."""
        name = self.value if self.what == "problem" else self.value[:12]
        return f"{NOUNS[self.what][0]} {name} in {' and '.join(self.examples)}"


@dataclass(frozen=True)
class SplitReport:
    """How far the splits of a selection are apart."""

    together: Together
    group_count: int
    largest_group_rows: int
    leak_counts: dict[str, int] = field(
        default_factory=dict
    )  # a key of NOUNS to how many are in several splits
    leaks: list[Leak] = field(default_factory=list)  # the first SHOWN

    def to_json(self) -> dict[str, Any]:
        """Return what a release stores and its card says."""
        return {**asdict(self), "sentence": self.sentence()}

    def sentence(self) -> str:
        shared = (
            f"Several splits share {self.words()}, which its recipe allowed."
            if self.leak_counts
            else "No two splits share a problem, a program, a kernel or a cluster of similar kernels."
        )
        groups_of = f"{self.group_count:,} group{'' if self.group_count == 1 else 's'}"
        return (
            f"Kept in one split: {WORDS[self.together]}; {groups_of}, the largest of "
            f"{self.largest_group_rows:,} row{'' if self.largest_group_rows == 1 else 's'}. {shared}"
        )

    def words(self) -> str:
        """Return the leaks in words, such as "40 problems and 2 kernels"; empty if there are none."""
        said = [f"{count:,} {NOUNS[what][count != 1]}" for what, count in self.leak_counts.items()]
        return " and ".join(filter(None, [", ".join(said[:-1]), *said[-1:]]))


def report(chosen: Iterable[tuple[Row, str]], together: Together) -> SplitReport:
    """Return the report on rows with their splits. Leaks are looked for by every key, whatever was kept together."""
    placed = list(chosen)
    by_task = groups((row for row, _ in placed), together)
    sizes: dict[str, int] = defaultdict(int)
    for row, _ in placed:
        sizes[by_task[row.task]] += 1
    found = leaks(placed)
    counts = {what: sum(leak.what == what for leak in found) for what in NOUNS}
    return SplitReport(
        together=together,
        group_count=len(sizes),
        largest_group_rows=max(sizes.values(), default=0),
        leak_counts={what: count for what, count in counts.items() if count},
        leaks=found[:SHOWN],
    )


def leaks(placed: list[tuple[Row, str]]) -> list[Leak]:
    """Return everything that rows of several splits share, in the order of NOUNS and then of values."""
    by_key: dict[Key, str] = {}  # the split that it was first seen in
    shared: set[Key] = set()
    for row, split in placed:
        for key in keys(row, Together.NEAR_DUPLICATES):
            if by_key.setdefault(key, split) != split:
                shared.add(key)
    examples: dict[Key, dict[str, str]] = defaultdict(dict)
    rows: dict[Key, int] = defaultdict(int)
    for row, split in placed if shared else ():
        for key in shared.intersection(keys(row, Together.NEAR_DUPLICATES)):
            rows[key] += 1
            examples[key][split] = min(row.id, examples[key].get(split, row.id))
    order = list(NOUNS)
    ordered = sorted(shared, key=lambda key: (order.index(key[0]), key[1]))
    return [Leak(*key, rows[key], dict(sorted(examples[key].items()))) for key in ordered]
