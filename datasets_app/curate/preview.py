"""A recipe's selection while somebody composes it: exact in a store of ordinary size, an estimate in a large one.

An estimate rests on all samples of some tasks, those with the smallest ids. Ids are digests, so that the choice of
tasks is as good as one by lot and always the same. Counts are scaled up to the store; a freeze counts exactly.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from datasets_app.browse.query.hidden_reviews import HiddenReviews
from datasets_app.curate import fingerprints, store
from datasets_app.curate.definition import Definition
from datasets_app.curate.device import on_its_device
from datasets_app.curate.row import Row
from datasets_app.curate.selection import Selection, apply
from datasets_app.models import Sample, SampleWithdrawal

MOST_ROWS = 40_000  # a second of work
COUNTS = ("rows_in", "rows_out", "tasks_in", "tasks_out", "count")  # in a funnel's lines


@dataclass(frozen=True)
class Preview:
    selection: Selection
    seen: int  # samples that the rules judged
    total: int  # samples in the store
    fingerprints_missing: int = 0

    @property
    def is_estimate(self) -> bool:
        return self.seen < self.total

    def scaled(self, count: int) -> int:
        return round(count * self.total / self.seen) if self.is_estimate else count

    def steps(self) -> list[dict[str, Any]]:
        """Return the funnel in counts of the whole store."""
        return [self.scaled_line(step) for step in self.selection.funnel()]

    def scaled_line(self, line: dict[str, Any]) -> dict[str, Any]:
        scaled = {key: self.scaled(value) if key in COUNTS else value for key, value in line.items()}
        if "dropped" in line:
            scaled["dropped"] = [self.scaled_line(reason) for reason in line["dropped"]]
            scaled["chosen_by"] = {name: self.scaled(count) for name, count in line["chosen_by"].items()}
        return scaled


def preview(
    definition: Definition,
    most_rows: int | None = None,
    watched: Collection[str] = (),
    hidden: HiddenReviews | None = None,
) -> Preview:
    """Return what `definition` chooses now, from the whole store or from as many tasks as a page has time for.

    `watched`: ids of samples for which the selection says why they were dropped. `hidden`: the reviews that the reader
    may not see.
    """
    total, most_rows = samples_in_use(), most_rows or MOST_ROWS
    if total > most_rows:
        return estimate(definition, total, most_rows, watched, hidden)
    return exact(definition, total, watched, hidden)


def samples_in_use() -> int:
    """Return how many samples nobody has withdrawn. Two counts that indexes serve: the column of samples has none."""
    return Sample.objects.count() - SampleWithdrawal.objects.in_force().count()


def exact(
    definition: Definition, total: int, watched: Collection[str] = (), hidden: HiddenReviews | None = None
) -> Preview:
    selection = store.select(definition, watched, store.FINGERPRINTS_ON_A_PAGE, hidden)
    return Preview(selection, total, total, fingerprints.missing(definition.rule_needs()))


def estimate(
    definition: Definition,
    total: int,
    most_rows: int,
    watched: Collection[str] = (),
    hidden: HiddenReviews | None = None,
) -> Preview:
    """Judge the rows of some tasks. A rule that keeps at most N of the whole store keeps its share of N."""
    definition = on_its_device(definition)
    rows = store.rows_of_some_tasks(definition.device, definition.needs(), most_rows, hidden)
    scaled = definition.scaled(len(rows) / total)
    selection = apply(scaled, rows, store.context_for(scaled), watched)
    for step, rule in zip(selection.steps, definition.rules, strict=True):
        step.sentence = rule.sentence()
    return Preview(selection, len(rows), total, lacking(rows, definition.rule_needs()) * total // len(rows))


def lacking(rows: list[Row], needs: frozenset[str]) -> int:
    """Return how many of these rows lack a fingerprint that a rule needs."""
    wanted = needs & {"program", "cluster" if "cluster" in needs else "kernel"}
    return sum(not getattr(row, need) for row in rows for need in wanted)
