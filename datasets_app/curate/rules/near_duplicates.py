"""Rules on clusters of similar kernels, as datasets_app.similarity finds them."""

from collections.abc import Iterable, Iterator

from datasets_app.curate.parameters import Choice, Choices
from datasets_app.curate.row import Row
from datasets_app.curate.rule import Context, Judgement, Rule
from datasets_app.curate.rules.orders import BY, best_first

JUDGED = (("reject", "rejected"), ("fix", "needs a fix"), ("accept", "accepted"), ("contested", "contested"))


class NearDuplicates(Rule):
    name = "near_duplicates"
    title = "One of each cluster of similar kernels"
    phrase = "One of each cluster of similar kernels {within}, the best by {by}"
    explains = (
        "Of samples whose kernels are nearly the same (80 % of their runs of five tokens, with own names, layout and "
        "comments left out), keeps the best. Kernels that are the same but for layout count as one cluster, too. "
        "Ties go to the smaller id."
    )
    parameters = (
        Choice(
            name="within",
            title="Compare",
            default="all",
            choices=(("task", "within a task"), ("all", "over all tasks")),
        ),
        BY,
    )
    needs = frozenset({"kernel", "cluster"})

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        seen: set[tuple[str, str]] = set()
        for row in best_first(list(rows), self["by"]):
            key = (row.task if self["within"] == "task" else "", row.cluster or row.kernel or row.id)
            yield Judgement(row, "a better one of its cluster is kept" if key in seen else "")
            seen.add(key)


class LikeJudged(Rule):
    name = "like_judged"
    title = "Leave out what is like a reviewed kernel"
    phrase = "Leave out kernels similar to one that is {verdicts}"
    explains = (
        "Drops samples without a verdict whose kernel is in one cluster with a kernel that reviewers judged so, "
        "wherever that one is in the store. Samples with a verdict of their own stay: the rule on verdicts judges them."
    )
    parameters = (Choices(name="verdicts", title="Verdicts", default=["reject"], choices=JUDGED),)
    needs = frozenset({"kernel", "cluster"})

    def judge(self, rows: Iterable[Row], context: Context) -> Iterator[Judgement]:
        words = dict(JUDGED)
        for row in rows:
            alike = [
                verdict for verdict in self["verdicts"] if row.cluster in context.judged.get(verdict, ())
            ]
            is_open = not row.verdict and row.cluster
            yield Judgement(
                row, f"similar to a kernel that is {words[alike[0]]}" if is_open and alike else ""
            )
