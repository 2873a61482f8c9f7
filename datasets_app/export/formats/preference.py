from collections.abc import Iterator

from datasets_app.export.formats.base import Record, Rows
from datasets_app.export.formats.judged import PROMPT, TASK, Judged, column, of_tasks
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.pairs import KINDS, pairs_of
from datasets_app.export.turns import answer, assistant, prompt, user
from datasets_app.export.types import MESSAGES


class Preference(Judged):
    """TRL's conversational form with an explicit prompt, for DPO and reward models."""

    name = "preference"
    title = "Preference pairs"
    means = "two answers to one prompt, chosen and rejected, for DPO and reward models"
    folder = "preference"
    by_task = True
    takes = ("template", "think", "pairs")
    nothing = (
        "No two of these rows make a pair of the chosen kinds: a pair needs two samples of one task, of which one "
        "cheats, was chosen by reviewers, is faster beyond doubt, or has a much shorter trace."
    )
    columns = (
        PROMPT,
        column("chosen", "the better answer", MESSAGES),
        column("rejected", "the other answer", MESSAGES),
        column("kind", "what says so: " + ", ".join(KINDS)),
        TASK,
        column("chosen_id", "of the chosen row"),
        column("rejected_id", "of the rejected row"),
    )

    def records(self, rows: Rows, options: Options = DEFAULT) -> Iterator[Record]:
        for task, group in of_tasks(rows):
            for kind, chosen, rejected in pairs_of(group, options.pairs):
                yield {
                    "prompt": [user(prompt(options.template, chosen))],
                    "chosen": [assistant(answer(chosen, options.think).text)],
                    "rejected": [assistant(answer(rejected, options.think).text)],
                    "kind": kind,
                    "task_id": task,
                    "chosen_id": chosen["id"],
                    "rejected_id": rejected["id"],
                }
