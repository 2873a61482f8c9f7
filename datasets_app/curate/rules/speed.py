"""Speedup over eager, and how many correct samples a task has: by measurement or by claim, never both."""

from collections.abc import Iterator

from datasets_app.curate.parameters import Choice, Integer, Number
from datasets_app.curate.row import Basis, Row
from datasets_app.curate.rule import Judgement, RowRule, TaskRule, within

BASIS = Choice(
    name="basis",
    title="By",
    default=Basis.MEASURED.value,
    choices=(
        (Basis.MEASURED.value, "measurement here"),
        (Basis.CLAIMED.value, "the source's claim"),
    ),
)


class Speedup(RowRule):
    name = "speedup"
    title = "Speedup over eager"
    explains = (
        "Keeps correct kernels whose speedup lies within these bounds, both ends included. By measurement: it "
        "passed on the recipe's device. By claim: the source's word, untested."
    )
    parameters = (
        BASIS,
        Number(name="minimum", title="At least", default=1.0, minimum=0, optional=True, unit="×"),
        Number(name="maximum", title="At most", default=None, minimum=0, optional=True, unit="×"),
    )

    def sentence(self) -> str:
        return f"Speedup over eager, {self['basis']}, {within(self)}"

    def refuses(self, row: Row) -> str:
        speedup = row.speedup(self["basis"])
        if speedup is None:
            return f"no {self['basis']} speedup"
        if self["minimum"] is not None and speedup < self["minimum"]:
            return "too slow"
        return "faster than allowed" if self["maximum"] is not None and speedup > self["maximum"] else ""


class MinCorrect(TaskRule):
    name = "min_correct"
    title = "Minimum correct samples per task"
    phrase = "Tasks with at least {minimum} correct, by {basis}"
    explains = "Keeps tasks with at least this many correct samples; drops all rows of other tasks."
    parameters = (
        BASIS,
        Integer(name="minimum", title="Correct samples, at least", default=2, minimum=1, maximum=1000),
    )

    def judge_task(self, rows: list[Row]) -> Iterator[Judgement]:
        correct = sum(row.is_correct(self["basis"]) for row in rows)
        dropped = "" if correct >= self["minimum"] else "the task has too few correct samples"
        return (Judgement(row, dropped) for row in rows)
