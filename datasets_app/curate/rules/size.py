"""Rules by size: the best of each task, at most N of one kind, a random selection."""

import hashlib
from collections.abc import Iterable, Iterator

from datasets_app.curate.parameters import Integer
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Judgement, Rule, TaskRule
from datasets_app.curate.rules.orders import BY, best_first


class BestPerTask(TaskRule):
    name = "best_per_task"
    title = "Best rows of each task"
    phrase = "Best {rows} of each task by {by}"
    explains = (
        "Keeps this many rows of each task. Rows that lack the value come last; ties go to the smaller id."
    )
    parameters = (
        Integer(name="rows", title="Rows a task, at most", default=1, minimum=1, maximum=1000),
        BY,
    )

    def judge_task(self, rows: list[Row]) -> Iterator[Judgement]:
        for place, row in enumerate(best_first(rows, self["by"])):
            yield Judgement(row, "" if place < self["rows"] else "better rows of its task fill the places")


def lot(seed: int, what: str, ident: str) -> bytes:
    """Return a draw that depends on the seed and the id alone: the same on every machine, in any order of rows."""
    return hashlib.sha256(f"{seed}:{what}:{ident}".encode()).digest()


class BalanceKinds(Rule):
    name = "balance_kinds"
    title = "Balance kinds of task"
    phrase = "At most {tasks} tasks of each kind"
    explains = "Keeps at most this many tasks of each kind, drawn by lot with the recipe's seed, with all their rows."
    parameters = (
        Integer(
            name="tasks",
            title="Tasks a kind, at most",
            default=500,
            minimum=1,
            maximum=1_000_000,
            of_store=True,
        ),
    )

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        everything = list(rows)
        kinds: dict[str, set[str]] = {}
        for row in everything:
            kinds.setdefault(row.kind, set()).add(row.task)
        chosen: set[str] = set()
        for tasks in kinds.values():
            chosen.update(sorted(tasks, key=lambda task: lot(context.seed, "kind", task))[: self["tasks"]])
        for row in everything:
            yield Judgement(row, "" if row.task in chosen else f"enough tasks of kind {row.kind}")


class RandomSample(Rule):
    name = "random_sample"
    title = "A random sample"
    phrase = "{rows} rows by lot"
    explains = "Keeps this many rows, drawn by lot with the recipe's seed."
    parameters = (
        Integer(name="rows", title="Rows", default=1000, minimum=1, maximum=10_000_000, of_store=True),
    )

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        ranked = sorted(rows, key=lambda row: lot(context.seed, "sample", row.id))
        for place, row in enumerate(ranked):
            yield Judgement(row, "" if place < self["rows"] else "not drawn")
