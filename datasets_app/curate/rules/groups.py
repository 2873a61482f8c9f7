"""Rules by groups of rows: at most so many of each, or as many of each as the smallest allow. Draws go by the seed."""

from collections.abc import Callable, Iterable, Iterator

from datasets_app.curate.parameters import Choice, Integer
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Judgement, Rule
from datasets_app.curate.rules.size import lot
from datasets_app.traces.difficulty import class_of

NO_CLASS = "without a trace"


def difficulty(row: Row) -> str:
    return NO_CLASS if row.arl is None else class_of(row.arl)


GROUPS: dict[str, tuple[str, Callable[[Row], str]]] = {
    "kind": ("kind of task", lambda row: row.kind),
    "source": ("source", lambda row: row.source or "unknown"),
    "generator": ("generator", lambda row: row.generator or "unknown"),
    "difficulty": ("difficulty", difficulty),
    "language": ("language", lambda row: row.language),
}
OF = Choice(
    name="of",
    title="Groups by",
    default="kind",
    choices=tuple((name, words) for name, (words, _) in GROUPS.items()),
    help="Difficulty is the class of the task's average reasoning length: easy under 4,000 tokens, hard over 8,500.",
)


class GroupRule(Rule):
    """A rule on groups of rows; `arl` is read for the groups by difficulty."""

    def all_needs(self) -> frozenset[str]:
        return frozenset({"arl"}) if self["of"] == "difficulty" else frozenset()

    def group_of(self, row: Row) -> str:
        return GROUPS[self["of"]][1](row)

    def groups(self, rows: list[Row]) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for row in rows:
            found.setdefault(self.group_of(row), []).append(row)
        return found


class CapEach(GroupRule):
    name = "cap_each"
    title = "Limit per group"
    phrase = "At most {most} {what} of each {of}"
    explains = (
        "Keeps at most this many rows, or tasks with all their rows, of each group, drawn by lot with the recipe's "
        "seed. Smaller groups stay whole."
    )
    parameters = (
        OF,
        Choice(name="what", title="Count", default="rows", choices=(("rows", "rows"), ("tasks", "tasks"))),
        Integer(name="most", title="At most", default=500, minimum=1, maximum=1_000_000, of_store=True),
    )

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        for group, members in self.groups(list(rows)).items():
            drawn = set(
                sorted({self.unit(row) for row in members}, key=lambda unit: lot(context.seed, "cap", unit))[
                    : self["most"]
                ]
            )
            for row in members:
                yield Judgement(row, "" if self.unit(row) in drawn else f"enough {self['what']} of {group}")

    def unit(self, row: Row) -> str:
        return row.id if self["what"] == "rows" else row.task


class Balance(GroupRule):
    name = "balance"
    title = "Balance groups"
    phrase = "{rows} rows, from each {of} in turn"
    explains = (
        "Keeps this many rows in all: one of each group, then a second of each, and so on, so that large groups do "
        "not crowd out small ones. A group that has no more rows is passed over. Within a group the lot decides, with "
        "the recipe's seed."
    )
    parameters = (
        OF,
        Integer(name="rows", title="Rows in all", default=1000, minimum=1, maximum=10_000_000, of_store=True),
    )

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        turns: list[tuple[int, bytes, str, Row]] = []
        for group, members in self.groups(list(rows)).items():
            drawn = sorted(members, key=lambda row: lot(context.seed, "balance", row.id))
            turns += [(turn, lot(context.seed, "group", group), group, row) for turn, row in enumerate(drawn)]
        for place, (*_, group, row) in enumerate(
            sorted(turns, key=lambda entry: (entry[0], entry[1], entry[3].id))
        ):
            yield Judgement(row, "" if place < self["rows"] else f"enough rows of {group}")
