"""Decontamination: what a benchmark asks must not be in what a model is trained on."""

from collections.abc import Iterable, Iterator

from datasets_app.curate.parameters import Names
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Judgement, Rule


class HeldOut(Rule):
    name = "exclude_suites"
    title = "Leave out benchmark tasks"
    phrase = "Leave out {suites}"
    explains = (
        "Drops every task of these suites, and tasks from elsewhere whose program is the same once layout, comments "
        "and docstrings are taken away. A suite is written KernelBench, one of its levels KernelBench/1."
    )
    parameters = (Names(name="suites", title="Suites", default=[], known="suites"),)
    needs = frozenset({"program"})

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        suites = set(self["suites"])
        programs = frozenset().union(*(context.programs.get(suite, frozenset()) for suite in suites))
        for row in rows:
            yield Judgement(row, why(row, suites, programs))


def why(row: Row, suites: set[str], programs: frozenset[str]) -> str:
    if row.suite and {row.suite, f"{row.suite}/{row.level}"} & suites:
        return "task of a suite that is held out"
    return "same program as a task that is held out" if row.program and row.program in programs else ""
