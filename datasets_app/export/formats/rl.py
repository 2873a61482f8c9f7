from collections.abc import Iterator

from datasets_app.export.formats.base import Record, Rows
from datasets_app.export.formats.judged import PROMPT, Judged, column, of_tasks
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.turns import prompt, user

PROFILE = "standard"  # where no row of the task was verified
ENTRY = "ModelNew"


class Tasks(Judged):
    """One record per task; `python -m eval_app.engine verify` says what an answer is worth."""

    name = "rl"
    title = "Tasks for reinforcement learning"
    means = "a prompt per task with the reference program, and what the engine needs to reward an answer"
    folder = "rl"
    by_task = True
    takes = ("template",)
    columns = (
        PROMPT,
        column("id", "of the task, and of the engine's job"),
        column("reference", "the program that an answer is compared with and timed against"),
        column("entry", "the class that an answer defines"),
        column("profile", "how thoroughly the engine verifies an answer"),
        column("problem_name", "the task's name"),
        column("suite", "the benchmark that numbers the task"),
        column("level", "in that suite", "int64"),
        column("problem", "the suite's number", "int64"),
    )

    def records(self, rows: Rows, options: Options = DEFAULT) -> Iterator[Record]:
        for task, group in of_tasks(rows):
            row = group[0]
            yield {
                "prompt": [user(prompt(options.template, row))],
                "id": task,
                "reference": row["pytorch_code"],
                "entry": ENTRY,
                "profile": next((one["profile"] for one in group if one["profile"]), PROFILE),
                **{name: row[name] for name in ("problem_name", "suite", "level", "problem")},
            }
