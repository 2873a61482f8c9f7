from collections.abc import Iterator, Sequence
from typing import Any

from datasets_app.export.formats.base import Record, Rows
from datasets_app.export.formats.judged import TASK, Judged, column, of_tasks
from datasets_app.export.formats.kto import label_of
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.turns import answer, assistant, prompt, user

NO_FEEDBACK = "Improve this kernel."  # the question after an attempt for which no feedback is stored


class Trajectories(Judged):
    """A conversation of several turns per trajectory whose attempts are rows of the release.

    It ends with the last attempt that may be trained on, and an attempt that a label refuses is shown, not trained on.
    """

    name = "chat-turns"
    title = "Trajectories as chat"
    means = (
        "a conversation per trajectory: the prompt, then each attempt and the feedback that led to the next; attempts "
        "that failed are marked to be read and not trained on"
    )
    folder = "chat-turns"
    by_task = True
    takes = ("template", "think")
    nothing = (
        "None of these rows continues another one of them with an attempt to train on. A trajectory needs the "
        "attempts before it in the release: a recipe that keeps only kernels that passed drops most of them."
    )
    columns = (
        column(
            "messages",
            "the turns; `train` of an answer is false where its reviews or its verification refuse it",
            "list<role:string,content:string,train:bool>",
        ),
        column("ids", "of the rows, one per answer", "list<string>"),
        TASK,
    )

    def records(self, rows: Rows, options: Options = DEFAULT) -> Iterator[Record]:
        for task, group in of_tasks(rows):
            for attempts in trajectories(group):
                yield {
                    "messages": list(turns(attempts, options)),
                    "ids": [row["id"] for row in attempts],
                    "task_id": task,
                }


def trajectories(rows: Sequence[Record]) -> Iterator[list[Record]]:
    """Yield the trajectories among the rows of one task that no other one contains, each from its first attempt."""
    by_id = {row["uuid"]: row for row in rows}
    paths = [path for row in rows if may_train(row) and len(path := path_to(row, by_id)) > 1]
    inner = {row["uuid"] for path in paths for row in path[:-1]}
    yield from (path for path in paths if path[-1]["uuid"] not in inner)


def path_to(row: Record, by_id: dict[str, Record]) -> list[Record]:
    path = [row]
    while (before := by_id.get(path[-1]["parent"])) and before not in path:
        path.append(before)
    return path[::-1]


def turns(attempts: Sequence[Record], options: Options) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(attempts):
        asked = row["feedback"] or NO_FEEDBACK if number else prompt(options.template, row)
        yield user(asked)
        yield assistant(answer(row, options.think).text) | {"train": may_train(row)}


def may_train(row: Record) -> bool:
    return label_of(row) is not False
