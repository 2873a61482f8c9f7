"""Several criteria, any of which is enough; every row keeps the one that chose it."""

from collections.abc import Iterable, Iterator

from datasets_app.curate.parameters import Choice
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Judgement, Rule

NONE = "chosen by none of them"


class AnyOf(Rule):
    name = "any_of"
    title = "Any of these"
    explains = (
        "Keeps rows that at least one of the rules inside keeps. They run in order, and a row's reason is the "
        "first that chose it."
    )
    parameters = (
        Choice(
            name="later",
            title="Later ones see",
            default="other_tasks",
            choices=(
                ("other_tasks", "only tasks that no earlier one chose from"),
                ("all", "all rows: choices may overlap"),
            ),
            help="The first is what the ConCuR paper seems to do: its counts add up, so no row is in two of them.",
        ),
    )
    takes_rules = True

    def sentence(self) -> str:
        seen = "each on tasks not yet chosen" if self["later"] == "other_tasks" else "overlap allowed"
        return f"Any of {len(self.rules)} criteria, {seen}"

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        everything = list(rows)
        chosen: dict[str, str] = {}
        refused: dict[str, list[str]] = {row.id: [] for row in everything if row.id in context.watched}
        taken: set[str] = set()
        for rule in self.rules:
            seen = [row for row in everything if self["later"] == "all" or row.task not in taken]
            passed = []
            for judged in rule.judge(seen, context):
                if judged.dropped:
                    if judged.row.id in refused:
                        refused[judged.row.id].append(f"{rule.title}: {judged.detail or judged.dropped}")
                else:
                    passed.append(judged.row)
                    chosen.setdefault(judged.row.id, rule.name)
            taken.update(row.task for row in passed)
        for row in everything:
            if reason := chosen.get(row.id):
                yield Judgement(row, chosen_by=reason)
            else:
                yield Judgement(row, NONE, detail="; ".join(refused.get(row.id, ())))
