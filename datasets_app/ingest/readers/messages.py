"""Repair loops as conversations: `messages` of user and assistant, one answer per turn, for one reference program.

This is the form of marin-community/glm-5.2-kernelgym-rollouts: `turns` holds the generations that count, `messages`
also the sampler's own; reasoning is inline and ends with </think>.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from datasets_app.ingest.limits import EXTERNAL_ID_CHARS, GENERATOR_CHARS, NAME_CHARS
from datasets_app.ingest.registry import Reader, leftover, refuse
from datasets_app.ingest.rows import Record, Refusal, Row, RowError, SamplePart, TaskPart
from datasets_app.ingest.source_file import SourceFile
from datasets_app.ingest.values import extra, label, program, text
from datasets_app.traces.answer_text import fenced_blocks, kernels_in, split_reasoning

USED = ("messages", "turns", "reference_code", "problem_id", "problem_name", "model")


class Turn(NamedTuple):
    """One generation, and the user's message before it."""

    number: int  # 0: the first attempt
    asked: str
    answer: str
    usage: Mapping[str, Any]


class MessagesReader(Reader):
    """Every turn with a kernel is a sample; its parent is the last such turn before it, its feedback the message that
    the turn answers. A turn without a kernel is refused with the reason. What else the row has is kept with the last
    sample."""

    name, title = "messages", "Conversations of several turns (JSONL)"
    columns = ("messages", "reference_code", "problem_id")
    program_field, kernel_field = "reference_code", "messages"

    def read(self, file: SourceFile) -> Iterator[Row | Record | Refusal]:
        for record in file.records():
            if isinstance(record, Refusal):
                yield record
                continue
            try:
                turns, task = turns_of(record.values), task_of(record.values)
            except RowError as error:
                yield refuse(record, error)
                continue
            yield from self.samples(record, task, turns, file)

    def samples(
        self, record: Record, task: TaskPart, turns: list[Turn], file: SourceFile
    ) -> Iterator[Row | Record | Refusal]:
        values, parent = record.values, ""
        conversation = conversation_name(values)
        last = max((turn.number for turn in turns if has_kernel(turn)), default=0)
        for turn in turns:
            name = f"{conversation}/turn{turn.number}"[-EXTERNAL_ID_CHARS:]
            try:
                kernel, reasoning = written(turn)
                sample = SamplePart(
                    kernel=kernel,
                    reasoning=reasoning,
                    generator=label(values, "model", GENERATOR_CHARS),
                    sampling=extra(turn.usage),
                    external_id=name,
                    parent=parent,
                    turn=turn.number,
                    feedback=turn.asked if turn.number else "",
                    claimed_device=file.device,
                    extra=leftover(values, *USED) if turn.number == last else {},
                )
            except RowError as error:
                yield refuse(record, error)
                continue
            row = self.checked_row(Row(record, task, sample))
            parent = name if isinstance(row, Row) else parent
            yield row


def task_of(values: Mapping[str, Any]) -> TaskPart:
    problem = label(values, "problem_id", EXTERNAL_ID_CHARS)
    return TaskPart(
        program=program(values, "reference_code"),
        name=label(values, "problem_name", NAME_CHARS) or problem,
        external_id=problem,
    )


def conversation_name(values: Mapping[str, Any]) -> str:
    """Return a name for the conversation: its problem, and its number among the problem's."""
    return (
        f"{label(values, 'problem_id', EXTERNAL_ID_CHARS)}/{label(values, 'rollout', EXTERNAL_ID_CHARS) or 0}"
    )


def turns_of(values: Mapping[str, Any]) -> list[Turn]:
    """Return the generations in order. Raises RowError for another form, or none at all."""
    messages = values.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, Mapping) for message in messages):
        raise RowError("messages", "is no list of messages", messages)
    recorded = generations(values)
    turns: list[Turn] = []
    asked = ""
    for message in messages:
        content = text(message, "content")
        if message.get("role") == "user":
            asked = content
        elif message.get("role") == "assistant" and (recorded is None or content in recorded):
            turns.append(Turn(len(turns), asked, content, (recorded or {}).get(content, {})))
    if not turns:
        raise RowError("messages", "holds no answer of the assistant")
    return turns


def generations(values: Mapping[str, Any]) -> dict[str, Mapping[str, Any]] | None:
    """Return the recorded answers with their usage; None if the row has none, so that every answer counts."""
    turns = values.get("turns")
    if not isinstance(turns, list):
        return None
    rows = [turn for turn in turns if isinstance(turn, Mapping) and isinstance(turn.get("response"), str)]
    usages = {turn["response"]: turn.get("usage") for turn in rows}
    return {answer: usage if isinstance(usage, Mapping) else {} for answer, usage in usages.items()} or None


def has_kernel(turn: Turn) -> bool:
    try:
        written(turn)
    except RowError:
        return False
    return True


def written(turn: Turn) -> tuple[str, str]:
    """Return the kernel and the reasoning of a turn. Raises RowError if there is no kernel to take."""
    where = f"turn {turn.number}"
    reasoning, content = split_reasoning(turn.answer)
    blocks, unclosed = fenced_blocks(content)
    kernels = kernels_in(blocks)
    if len(kernels) == 1:
        return kernels[0], reasoning
    if kernels:
        raise RowError("messages", f"{where} has {len(kernels)} code blocks that define ModelNew")
    why = "its last code block is not closed" if unclosed else "no code block defines ModelNew"
    raise RowError("messages", f"{where} has no kernel: {why}", turn.answer)
