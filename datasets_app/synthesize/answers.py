"""Takes kernel and reasoning out of an answer, or says by name why there is none to take."""

from __future__ import annotations

from dataclasses import dataclass

from datasets_app.synthesize.errors import AnswerError
from datasets_app.traces.answer_text import fenced_blocks, kernels_in, split_reasoning

MOST_ADVICE_CHARS = 8_000


@dataclass(frozen=True)
class Answer:
    """What a model answered: its text, its reasoning where the endpoint tells the two apart, and why it ended."""

    content: str
    reasoning: str = ""
    finish_reason: str = "stop"
    prompt_tokens: int = 0
    answer_tokens: int = 0
    mean_logprob: float | None = None
    seconds: float = 0.0
    cost: float | None = None  # as the endpoint states it, else by its price
    logprobs: tuple[tuple[str, float], ...] = ()  # tokens with their log-probabilities

    @property
    def tokens(self) -> int:
        """Return the tokens of prompt and answer; 0 where the endpoint counted none."""
        return self.prompt_tokens + self.answer_tokens

    @property
    def whole(self) -> str:
        """Return everything that was answered."""
        return f"<think>\n{self.reasoning}\n</think>\n{self.content}" if self.reasoning else self.content


@dataclass(frozen=True)
class Written:
    """A kernel and the reasoning before it."""

    kernel: str
    reasoning: str


def written(answer: Answer) -> Written:
    """Return the one program of an answer that defines ModelNew. Raises AnswerError."""
    if answer.finish_reason == "length":
        raise AnswerError(
            "truncated", f"the answer ended at {answer.answer_tokens:,} tokens, before the model did"
        )
    if answer.finish_reason == "content_filter":
        raise AnswerError("content_filter", "the endpoint withheld the answer")
    reasoning, content = parted(answer)
    if not content.strip():
        raise AnswerError(
            "empty", "there is no text after the reasoning" if reasoning else "there is no text"
        )
    return Written(only_kernel(blocks(content)), reasoning)


def advice_of(answer: Answer) -> str:
    """Return a judge's advice: its answer without the reasoning before it; empty if nothing follows that."""
    try:
        return parted(answer)[1].strip()[:MOST_ADVICE_CHARS]
    except AnswerError:
        return ""


def parted(answer: Answer) -> tuple[str, str]:
    """Return reasoning and answer; in one text they are parted by </think>. Raises AnswerError."""
    if answer.reasoning:
        return answer.reasoning.strip(), answer.content
    reasoning, content = split_reasoning(answer.content)
    if content != answer.content:
        return reasoning, content
    if answer.content.lstrip().startswith("<think>"):
        raise AnswerError("truncated", "the reasoning has no end, so there is no answer after it")
    return "", answer.content


def blocks(content: str) -> list[str]:
    """Return the fenced blocks of a text. Raises AnswerError for one that is never closed."""
    found, unclosed = fenced_blocks(content)
    if unclosed:
        raise AnswerError("unclosed_code_block", "its last code block is not closed")
    return found


def only_kernel(programs: list[str]) -> str:
    if not programs:
        raise AnswerError("no_code_block", "it has no code block")
    kernels = kernels_in(programs)
    if not kernels:
        raise AnswerError("no_model_new", f"none of its {len(programs)} code blocks defines a class ModelNew")
    if len(kernels) > 1:
        raise AnswerError("two_model_new", f"{len(kernels)} of its code blocks define a class ModelNew")
    return kernels[0]
