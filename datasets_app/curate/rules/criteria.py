"""ConCuR's three criteria (its paper's curation section). Each keeps at most one row a task.

The fastest kernel of a task is its correct sample with the highest speedup; equal speedups go to the shorter trace,
then to the smaller id. What the paper leaves open is a parameter here.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator

from datasets_app.curate.parameters import Choice, Integer, Number
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Judgement, Rule, TaskRule
from datasets_app.curate.rules.speed import BASIS

NOT_FASTEST = "not its task's fastest kernel"
NO_SPEEDUP = "its task has no correct kernel with a speedup"


def fastest(rows: Iterable[Row], basis: str) -> Row | None:
    timed = [row for row in rows if row.speedup(basis) is not None]
    return min(timed, key=lambda row: row.fastest_first(basis), default=None)


class FastestRule(TaskRule):
    """A rule that keeps a task's fastest kernel unless `refuses_fastest` gives a reason."""

    def judge_task(self, rows: list[Row]) -> Iterator[Judgement]:
        best = fastest(rows, self["basis"])
        dropped = NO_SPEEDUP if best is None else self.refuses_fastest(best, rows)
        for row in rows:
            yield Judgement(row, dropped or ("" if row is best else NOT_FASTEST))

    @abstractmethod
    def refuses_fastest(self, best: Row, rows: list[Row]) -> str:
        """Return why the task's fastest row is dropped, in few words; empty if it is kept."""


class FastestIsShortest(FastestRule):
    name = "fastest_is_shortest"
    title = "The fastest kernel has the shortest trace"
    phrase = "The fastest kernel, by {basis}, has the shortest trace among {among}"
    explains = (
        "ConCuR's criterion (a): keeps the fastest kernel of each task in which no other trace is shorter. "
        "A tie in length counts for the task. “All samples” looks at wrong ones too, so put no outcome rule above it."
    )
    parameters = (
        BASIS,
        Choice(
            name="among",
            title="Shortest among",
            default="correct",
            choices=(("correct", "correct samples"), ("all", "all samples of the task")),
        ),
    )

    def refuses_fastest(self, best: Row, rows: list[Row]) -> str:
        if best.trace_tokens is None:
            return "its task's fastest kernel has no trace"
        rivals = [row for row in rows if self["among"] == "all" or row.is_correct(self["basis"])]
        lengths = [row.trace_tokens for row in rivals if row.trace_tokens is not None]
        return "" if best.trace_tokens <= min(lengths) else "its task has a shorter trace than the fastest's"


class FastestAbove(FastestRule):
    name = "fastest_above"
    title = "The fastest kernel is very fast"
    phrase = "The fastest kernel, by {basis}, is over {above}"
    explains = (
        "ConCuR's criterion (b): keeps the fastest kernel of each task where its speedup is over a bound."
    )
    parameters = (
        BASIS,
        Number(name="above", title="Speedup over", default=5.0, minimum=0, unit="×"),
    )

    def refuses_fastest(self, best: Row, rows: list[Row]) -> str:
        return (
            ""
            if (best.speedup(self["basis"]) or 0.0) > self["above"]
            else "its task's fastest is not so fast"
        )


class SingleOperator(Rule):
    name = "single_operator"
    title = "Fastest kernels of single-operator tasks"
    phrase = "Fastest kernels of single-operator tasks, by {basis}, up to {up_to}"
    explains = (
        "ConCuR's criterion (c): the fastest kernel of tasks whose program uses one torch operator, up to a "
        "number, taken in turn from each kind of task (the faster first), so that no kind crowds out the others. "
        "Operators are counted as one run of the program executes them, traced on the meta device by a verification "
        "or by the engine's admission test; of a task that was not traced, the distinct operators that its text names "
        "count."
    )
    parameters = (
        BASIS,
        Integer(
            name="up_to",
            title="Up to",
            default=544,
            minimum=1,
            maximum=1_000_000,
            unit=" rows",
            of_store=True,
        ),
    )

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        everything = list(rows)
        picked = {row.id for row in in_turn(self.candidates(everything), self["basis"])[: self["up_to"]]}
        return (Judgement(row, "" if row.id in picked else why(row)) for row in everything)

    def candidates(self, rows: list[Row]) -> list[Row]:
        tasks: dict[str, list[Row]] = {}
        for row in rows:
            if operators(row) == 1:
                tasks.setdefault(row.task, []).append(row)
        best = (fastest(group, self["basis"]) for group in tasks.values())
        return [row for row in best if row is not None]


def in_turn(rows: list[Row], basis: str) -> list[Row]:
    """Return one row of each kind, then a second of each, and so on; within a kind the faster first."""
    rank: dict[str, int] = {}
    ranked = []
    for row in sorted(rows, key=lambda row: row.fastest_first(basis)):
        rank[row.kind] = rank.get(row.kind, 0) + 1
        ranked.append((rank[row.kind], row.kind, row))
    return [row for *_, row in sorted(ranked, key=lambda entry: entry[:2])]


def operators(row: Row) -> int:
    """Return the operators of the row's task: as executed if traced, else as its text names them."""
    return row.operators if row.operator_calls is None else row.operator_calls


def why(row: Row) -> str:
    count, by = operators(row), "by its text" if row.operator_calls is None else "as executed"
    if count == 1:
        return "not the fastest, or beyond the number asked for"
    return f"its task uses {'more than one' if count else 'no'} operator, {by}"
