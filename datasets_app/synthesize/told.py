"""What a request tells: the program, and of a further turn the kernels before it with the feedback on each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from datasets_app.models import Candidate, Sample, Synthesis
from datasets_app.synthesize.asking import Request
from datasets_app.synthesize.templates import Messages, Told, for_program

MOST_TOLD_CHARS = 60_000  # of all turns together; the last one is always told
ADVICE = "A reviewer who read this result advises:"
Chain = list[tuple[Sample, str]]  # samples with the feedback on them, the last turn first


def requests_of(synthesis: Synthesis, candidates: Sequence[Candidate]) -> list[Request]:
    """Return the requests of some candidates, whose tasks and parents have their bodies."""
    chains = earlier_turns(candidates, synthesis.told_turns)
    return [request_of(synthesis, one, chains.get(one.pk, [])) for one in candidates]


def request_of(synthesis: Synthesis, candidate: Candidate, chain: Chain) -> Request:
    program, turns = candidate.task.body.pytorch_code, told(chain)
    judge = None
    if synthesis.judge_endpoint and turns:
        judge = for_program(synthesis.judge_messages, program, turns[-1:])
    return Request(
        candidate.pk,
        partial(messages_of, synthesis.messages, program, turns),
        synthesis.seed + candidate.number,
        judge,
        candidate.advice,
    )


def messages_of(messages: Messages, program: str, turns: Sequence[Told], advice: str) -> Messages:
    """Return the messages of a request, the judge's advice after the feedback on the last turn."""
    if not turns:
        return for_program(messages, program)
    last = Told(turns[-1].kernel, with_advice(turns[-1].feedback, advice))
    return for_program(messages, program, [*turns[:-1], last])


def with_advice(feedback: str, advice: str) -> str:
    return f"{feedback.strip()}\n\n{ADVICE}\n\n{advice}" if advice else feedback


def told(chain: Chain) -> list[Told]:
    """Return the turns of a chain, the earliest first; the earliest are left out where they are too long together."""
    turns: list[Told] = []
    characters = 0
    for sample, feedback in chain:
        characters += len(sample.body.kernel_code) + len(feedback)
        if turns and characters > MOST_TOLD_CHARS:
            break
        turns.insert(0, Told(sample.body.kernel_code, feedback))
    return turns


def earlier_turns(candidates: Sequence[Candidate], most: int) -> dict[int, Chain]:
    """Return at most `most` turns before each candidate, by its id; one query per turn."""
    chains: dict[int, Chain] = {
        one.pk: [(one.parent, one.feedback)] for one in candidates if one.parent is not None
    }
    for _ in range(most - 1):
        ends = {pk: chain[-1][0] for pk, chain in chains.items()}
        before = with_kernels({end.parent_id for end in ends.values()})
        longer = [pk for pk, end in ends.items() if end.parent_id in before]
        if not longer:
            break
        for pk in longer:
            chains[pk].append((before[ends[pk].parent_id], ends[pk].body.feedback))
    return chains


def with_kernels(pks: set[Any]) -> dict[Any, Sample]:
    samples = Sample.objects.select_related("body").defer("body__reasoning")
    return samples.in_bulk([pk for pk in pks if pk is not None])
