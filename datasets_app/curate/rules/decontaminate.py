"""Decontamination: tasks of a benchmark, and tasks that are like one, leave the training set. Every match is reported.

Which tasks match is found beforehand, from what is stored of programs (datasets_app.curate.contamination).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from datasets_app.curate.parameters import Choices, Integer, Names
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Judgement, Rule

AGAINST = ("suites", "sources", "tags")
METHODS = (
    ("exact", "the same program, but for layout and comments"),
    ("near", "nearly the same program"),
    ("operators", "the same operators"),
)
REASONS = {
    "listed": "is one of the benchmark's tasks",
    "exact": "same program as a benchmark's task",
    "near": "nearly the same program as a benchmark's task",
    "operators": "same operators as a benchmark's task",
}


class Decontaminate(Rule):
    name = "decontaminate"
    title = "Decontaminate against a benchmark"
    phrase = "Leave out tasks of {suites}{sources}{tags}, and those with {methods}"
    explains = (
        "Drops the tasks of these suites, sources and tags, and every task that is like one of them. Nearly the same: "
        "80 % of the programs' runs of five tokens agree, own names, layout and comments left out, as estimated by "
        "MinHash. The same operators: the program's text names the same set of torch operators and, where a run of "
        "both was traced, executes as many calls; the order of the calls is not compared. What was dropped and why is "
        "kept with a release."
    )
    parameters = (
        Names(name="suites", title="Suites", default=[], known="suites", optional=True),
        Names(name="sources", title="All tasks of these sources", default=[], known="sources", optional=True),
        Names(name="tags", title="Tasks of samples with these tags", default=[], known="tags", optional=True),
        Choices(name="methods", title="And tasks with", default=["exact", "near"], choices=METHODS),
        Integer(
            name="fewest_operators",
            title="Same operators, if at least",
            default=3,
            minimum=1,
            maximum=200,
            unit=" operators",
            help="Many unrelated tasks share one or two operators.",
        ),
    )
    needs = frozenset({"program"})

    @classmethod
    def value_faults(cls, values: dict[str, Any]) -> dict[str, str]:
        if any(values.get(name, True) for name in AGAINST):
            return {}
        return {"suites": "Suites: choose at least one suite, source or tag to compare with."}

    def key(self) -> str:
        """Return what identifies the comparison in a Context."""
        return json.dumps(self.values, sort_keys=True)

    def sentence(self) -> str:
        against = ", ".join(word for name in AGAINST for word in self[name])
        words = dict(METHODS)
        return f"Leave out tasks of {against}, and tasks with {' or '.join(words[name] for name in self['methods'])}"

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        matches = context.contaminated.get(self.key(), {})
        for row in rows:
            match = matches.get(row.task)
            yield Judgement(row, REASONS[match.method], match=match) if match else Judgement(row)
