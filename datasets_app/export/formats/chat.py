"""Conversations of one question and one answer: `messages`, as TRL, LLaMA-Factory and Axolotl read them."""

from collections.abc import Iterator, Sequence

from datasets_app.export.columns import Column, Origin
from datasets_app.export.formats.base import Format, Record, Rows
from datasets_app.export.formats.jsonl import JsonLines
from datasets_app.export.formats.parquet import Parquet
from datasets_app.export.options import DEFAULT, Options
from datasets_app.export.turns import answer, assistant, prompt, user
from datasets_app.export.types import MESSAGES, Described

FIELDS = (
    Column("messages", MESSAGES, "the prompt, and the answer with its trace in think tags", Origin.ROW),
    Column("id", "string", "of the row", Origin.ROW),
    Column("task_id", "string", "of the row", Origin.ROW),
)


class Conversations(Format):
    takes = ("template", "think")

    def fields(self, options: Options = DEFAULT) -> Sequence[Described]:
        return FIELDS

    def records(self, rows: Rows, options: Options = DEFAULT) -> Iterator[Record]:
        for row in rows:
            asked = user(prompt(options.template, row))
            answered = assistant(answer(row, options.think).text)
            yield {"messages": [asked, answered], "id": row["id"], "task_id": row["task_id"]}


class Chat(Conversations, Parquet):
    name = "chat"
    title = "Chat, Parquet"
    means = "a prompt and an answer per row, as a second config for load_dataset; TRL reads it as it is"
    folder = "chat"


class ChatLines(Conversations, JsonLines):
    name = "chat-jsonl"
    title = "Chat, JSON Lines"
    means = "a prompt and an answer per row for TRL, LLaMA-Factory (with dataset_info.json) and Axolotl"
    folder = "chat-jsonl"
