"""The base class of rules. See datasets_app.curate.rules for how to add one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from datasets_app.curate.parameters import Parameter
from datasets_app.curate.row import Row


class Match(NamedTuple):
    """Why decontamination drops a task: how it is like which task of the benchmark."""

    method: str  # listed, exact, near, operators
    task: str  # name
    against: str  # name of the benchmark's task
    similarity: float | None = None  # of near programs, estimated


class Judgement(NamedTuple):
    """A rule's judgement of one row: kept (`dropped` is empty), or dropped with the reason in few words."""

    row: Row
    dropped: str = ""
    chosen_by: str = ""  # the criterion that chose it, where a rule offers several
    match: Match | None = None  # the task of a benchmark that it is like
    detail: str = ""  # the reason in full, where `dropped` leaves something out


@dataclass(frozen=True)
class Context:
    """Facts for rules beside the rows."""

    seed: int = 0
    programs: dict[str, frozenset[str]] = field(default_factory=dict)  # suite or suite/level -> fingerprints
    judged: dict[str, frozenset[str]] = field(default_factory=dict)  # verdict -> clusters with such a sample
    contaminated: dict[str, dict[str, Match]] = field(default_factory=dict)  # rule's key -> task id -> why
    watched: Collection[str] = ()  # ids of samples whose reason in full is wanted if they are dropped


class Rule(ABC):
    """One rule with its values. Subclasses set the class variables and one of the two classes below."""

    name: ClassVar[str]  # in a recipe's JSON
    title: ClassVar[str]  # on the page
    explains: ClassVar[str]  # one or two sentences under the title
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    needs: ClassVar[frozenset[str]] = frozenset()  # of Row's fields that cost more to read
    takes_rules: ClassVar[bool] = False
    phrase: ClassVar[str] = ""  # the rule with its values: "Outcome is {outcomes}"; empty: the title alone
    do_not_call_in_templates = True  # a page that lists rules wants the class, not a rule made from nothing

    def __init__(self, values: dict[str, Any], rules: tuple[Rule, ...] = ()) -> None:
        self.values = values
        self.rules = rules

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @abstractmethod
    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        """Yield a judgement for every row, in any order; the kept ones do not depend on the order of the rows."""

    @classmethod
    def value_faults(cls, values: dict[str, Any]) -> dict[str, str]:
        """Return what is wrong with the values together, by parameter: each alone is checked already."""
        return {}

    def sentence(self) -> str:
        """Return the rule with its values, in words."""
        values = {parameter.name: parameter.say(self[parameter.name]) for parameter in self.parameters}
        return self.phrase.format(**values) if self.phrase else self.title

    def scaled(self, share: float) -> Rule:
        """Return the rule for a share of the store."""
        values = {name: value * share for name, value in self.values.items() if self.is_of_store(name)}
        rounded = {name: max(1, round(value)) for name, value in values.items()}
        return type(self)({**self.values, **rounded}, tuple(rule.scaled(share) for rule in self.rules))

    def is_of_store(self, name: str) -> bool:
        return any(parameter.name == name and parameter.of_store for parameter in self.parameters)

    def all_needs(self) -> frozenset[str]:
        return self.needs.union(*(rule.all_needs() for rule in self.rules))


def within(rule: Rule) -> str:
    """Return the bounds of a rule with the parameters minimum and maximum, in words."""
    low, high = (p.say(rule[p.name]) for p in rule.parameters if p.name in ("minimum", "maximum"))
    if rule["minimum"] is None:
        return "of any size" if rule["maximum"] is None else f"up to {high}"
    return f"from {low}" if rule["maximum"] is None else f"from {low} to {high}"


class RowRule(Rule):
    """A rule that judges each row by itself. Rows stream through: dropped ones are never held."""

    @abstractmethod
    def refuses(self, row: Row) -> str:
        """Return why the row is dropped, in few words; empty if kept. Reasons are counted: use few of them."""

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        for row in rows:
            yield Judgement(row, self.refuses(row))


class TaskRule(Rule):
    """A rule that judges the rows of one task together."""

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        tasks: dict[str, list[Row]] = {}
        for row in rows:
            tasks.setdefault(row.task, []).append(row)
        for task in sorted(tasks):
            yield from self.judge_task(tasks[task])

    @abstractmethod
    def judge_task(self, rows: list[Row]) -> Iterator[Judgement]:
        """Yield a judgement for every row of the task."""
