"""Difficulty of a task by its average reasoning length, with the setting that the length belongs to."""

from datasets_app.curate.parameters import Choices, Integer, Names, Number
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule
from datasets_app.traces.difficulty import EASY_BELOW_TOKENS, HARD_ABOVE_TOKENS, Setting

CLASSES = (("easy", "easy"), ("middling", "middling"), ("hard", "hard"))


class Difficulty(RowRule):
    name = "difficulty"
    title = "Difficulty of the task"
    phrase = "Tasks that are {classes}"
    explains = (
        "Keeps samples of tasks whose average reasoning length is of these classes. The defaults are ConCuR's: easy "
        "under 4,000 tokens, hard over 8,500, middling between, which hold for traces of one generator in its own "
        "tokens. Name the generator and the tokenizer, and set the thresholds that belong to them. Tasks with fewer "
        "traces than asked for are dropped."
    )
    parameters = (
        Choices(name="classes", title="Classes", default=["hard", "middling"], choices=CLASSES),
        Names(
            name="generators",
            title="Traces of these generators",
            default=[],
            known="generators",
            optional=True,
            help="None: of all generators together.",
        ),
        Names(
            name="tokenizers",
            title="Thresholds in tokens of",
            default=[],
            known="tokenizers",
            optional=True,
            help="The tokenizer that the thresholds belong to; traces that another one counted are left out.",
        ),
        Integer(name="at_least", title="Traces a task, at least", default=1, minimum=1, maximum=10_000),
        Number(name="easy_below", title="Easy below, tokens", default=EASY_BELOW_TOKENS, minimum=0),
        Number(name="hard_above", title="Hard above, tokens", default=HARD_ABOVE_TOKENS, minimum=0),
    )

    def all_needs(self) -> frozenset[str]:
        return frozenset({"arl"} if self.is_over_all else {"traces"})

    @property
    def is_over_all(self) -> bool:
        """Return whether the average is over every trace of the task, however few."""
        return not self["generators"] and not self["tokenizers"] and self["at_least"] == 1

    @property
    def setting(self) -> Setting:
        chosen = tuple(self["generators"]), tuple(self["tokenizers"])
        return Setting(*chosen, self["at_least"], self["easy_below"], self["hard_above"])

    def refuses(self, row: Row) -> str:
        average = row.arl if self.is_over_all else self.setting.average(row.traces)
        if average is None:
            return "its task has no trace" if self.is_over_all else "its task has too few such traces"
        found = self.setting.class_of(average)
        return "" if found in self["classes"] else f"its task is {found}"
