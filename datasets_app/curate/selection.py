"""From a definition and rows to a selection: a pure function, with every count on the way.

Nothing here depends on the order in which rows arrive, on the clock or on the machine: the same rows and
the same definition give the same selection everywhere.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from datasets_app.curate.definition import SPLITS, Definition
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Judgement, Match, Rule
from datasets_app.curate.rules import RULES
from datasets_app.curate.rules.decontaminate import REASONS, Decontaminate
from datasets_app.curate.splits import groups, split_of

SHOWN_IDS = 8  # of each reason
MATCHES_KEPT = 2000  # tasks of a decontamination that a release lists; all are counted
METHOD_ORDER = list(REASONS)
EVERY_RULE = "every_rule"  # why a row is in where no criterion claims it


def reason_words(name: str) -> str:
    """Return why a row was chosen, in words."""
    if name == EVERY_RULE or not name:
        return "passes every rule"
    return RULES[name].title if name in RULES else name


@dataclass
class Dropped:
    """Rows dropped for one reason: the count, and the smallest ids, so that they are always the same."""

    count: int = 0
    ids: list[str] = field(default_factory=list)  # at most SHOWN_IDS, in order

    def add(self, ident: str) -> None:
        self.count += 1
        if len(self.ids) < SHOWN_IDS or ident < self.ids[-1]:
            insort(self.ids, ident)
            del self.ids[SHOWN_IDS:]


@dataclass
class Matches:
    """What decontamination dropped, by task."""

    by_task: dict[str, Match] = field(default_factory=dict)
    rows: Counter[str] = field(default_factory=Counter)

    def add(self, task: str, match: Match) -> None:
        self.by_task[task] = match
        self.rows[task] += 1

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and the first MATCHES_KEPT tasks by method and name."""
        ordered = sorted(
            self.by_task.items(), key=lambda item: (METHOD_ORDER.index(item[1].method), item[1].task, item[0])
        )
        by_method = Counter(match.method for match in self.by_task.values())
        return {
            "task_count": len(self.by_task),
            "row_count": self.rows.total(),
            "task_count_by_method": {
                method: by_method[method] for method in METHOD_ORDER if by_method[method]
            },
            "tasks": [
                {"id": task, "rows": self.rows[task], **match._asdict()}
                for task, match in ordered[:MATCHES_KEPT]
            ],
        }


@dataclass
class Step:
    """One rule's line of the funnel."""

    rule: str
    sentence: str
    rows_out: int = 0
    dropped: defaultdict[str, Dropped] = field(default_factory=lambda: defaultdict(Dropped))
    chosen_by: Counter[str] = field(default_factory=Counter)
    tasks_kept: set[str] = field(default_factory=set)
    tasks_dropped: set[str] = field(default_factory=set)  # in part or whole
    matches: Matches | None = None  # of a rule that compares with a benchmark

    @property
    def rows_in(self) -> int:
        return self.rows_out + sum(rows.count for rows in self.dropped.values())

    @property
    def tasks(self) -> set[str]:
        return self.tasks_kept | self.tasks_dropped

    def count(self, judged: Judgement) -> None:
        if judged.dropped:
            self.tasks_dropped.add(judged.row.task)
            self.dropped[judged.dropped].add(judged.row.id)
            if judged.match is not None and self.matches is not None:
                self.matches.add(judged.row.task, judged.match)
            return
        self.rows_out += 1
        self.tasks_kept.add(judged.row.task)
        if judged.chosen_by:
            self.chosen_by[judged.chosen_by] += 1

    def to_json(self) -> dict[str, Any]:
        report = {} if self.matches is None else {"matches": self.matches.to_json()}
        reasons = sorted(self.dropped.items(), key=lambda item: (-item[1].count, item[0]))
        return {
            "rule": self.rule,
            "sentence": self.sentence,
            "rows_in": self.rows_in,
            "rows_out": self.rows_out,
            "tasks_in": len(self.tasks),
            "tasks_out": len(self.tasks_kept),
            "dropped": [
                {"reason": reason, "count": rows.count, "samples": rows.ids} for reason, rows in reasons
            ],
            "chosen_by": dict(sorted(self.chosen_by.items(), key=lambda item: (-item[1], item[0]))),
            **report,
        }


class Chosen(NamedTuple):
    row: Row
    split: str
    reason: str  # the criterion that chose it


@dataclass
class Selection:
    """A recipe's choice: rows ordered by split, task and id, and the funnel."""

    chosen: list[Chosen]
    steps: list[Step]
    fates: dict[str, str]  # of the watched samples that were dropped: by which rule, and why
    device: str = ""  # that the evidence is of
    # The percentage of groups that each split should get.
    shares: Mapping[str, float] = field(default_factory=dict)

    def funnel(self) -> list[dict[str, Any]]:
        return [step.to_json() for step in self.steps]

    def split_counts(self) -> dict[str, int]:
        counts = Counter(chosen.split for chosen in self.chosen)
        return {split: counts[split] for split in SPLITS if counts[split]}

    def empty_splits(self) -> list[tuple[str, float]]:
        """Return the splits that got no row although they should, with their percentages; [] if no row was chosen."""
        counts = self.split_counts()
        return [
            (split, share)
            for split, share in self.shares.items()
            if counts and share > 0 and split not in counts
        ]

    def task_count(self) -> int:
        return len({chosen.row.task for chosen in self.chosen})


@dataclass
class Funnel:
    """Passes rows through the rules and keeps the counts."""

    context: Context
    steps: list[Step] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    fates: dict[str, str] = field(default_factory=dict)

    def through(self, rule: Rule, rows: Iterable[Row]) -> Iterator[Row]:
        step = Step(
            rule.name, rule.sentence(), matches=Matches() if isinstance(rule, Decontaminate) else None
        )
        self.steps.append(step)
        return self.remaining(rule, step, rows)

    def remaining(self, rule: Rule, step: Step, rows: Iterable[Row]) -> Iterator[Row]:
        for judged in rule.judge(rows, self.context):
            step.count(judged)
            if judged.dropped:
                if judged.row.id in self.context.watched:
                    self.fates[judged.row.id] = f"{rule.title}: {judged.detail or judged.dropped}"
                continue
            if judged.chosen_by:
                self.reasons[judged.row.id] = judged.chosen_by
            yield judged.row


def apply(
    definition: Definition, rows: Iterable[Row], context: Context | None = None, watched: Collection[str] = ()
) -> Selection:
    """Return the rows that `definition` chooses, each with its split and the reason for the choice.

    `watched`: ids of samples whose fate is wanted if they are dropped.
    """
    funnel = Funnel(replace(context or Context(), seed=definition.seed, watched=watched))
    for rule in definition.rules:
        rows = funnel.through(rule, rows)
    kept = list(rows)
    group_of = groups(kept, definition.together) if definition.is_split else {}
    chosen = [
        Chosen(
            row,
            split_of(group_of.get(row.task, row.task), definition.seed, definition.splits),
            funnel.reasons.get(row.id, EVERY_RULE),
        )
        for row in kept
    ]
    chosen.sort(key=lambda entry: (SPLITS.index(entry.split), entry.row.task, entry.row.id))
    return Selection(chosen, funnel.steps, funnel.fates, definition.device, definition.splits)
