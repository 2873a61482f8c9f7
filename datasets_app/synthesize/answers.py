"""Takes kernel and reasoning out of an answer, or says by name why there is none to take."""

from __future__ import annotations

import re
from dataclasses import dataclass

from datasets_app.synthesize.errors import AnswerError

FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*$", re.MULTILINE)
MODEL_NEW = re.compile(r"^class\s+ModelNew\b", re.MULTILINE)
MOST_ADVICE_CHARS = 8_000
THOUGHT = re.compile(r"\A\s*+(?:<think>)?(.*?)</think>", re.DOTALL)


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
    if thought := THOUGHT.match(answer.content):
        return thought[1].strip(), answer.content[thought.end() :]
    if answer.content.lstrip().startswith("<think>"):
        raise AnswerError("truncated", "the reasoning has no end, so there is no answer after it")
    return "", answer.content


def blocks(content: str) -> list[str]:
    """Return the fenced blocks of a text. Raises AnswerError for one that is never closed."""
    found, start, fence = [], 0, ""
    for line in FENCE.finditer(content):
        if not fence:
            fence, start = line[1], line.end() + 1
        elif line[1][0] == fence[0] and len(line[1]) >= len(fence) and line[0].strip() == line[1]:
            found.append(content[start : max(start, line.start() - 1)])
            fence = ""
    if fence:
        raise AnswerError("unclosed_code_block", "its last code block is not closed")
    return found


def only_kernel(programs: list[str]) -> str:
    if not programs:
        raise AnswerError("no_code_block", "it has no code block")
    kernels = list(dict.fromkeys(program for program in programs if MODEL_NEW.search(program)))
    if not kernels:
        raise AnswerError("no_model_new", f"none of its {len(programs)} code blocks defines a class ModelNew")
    if len(kernels) > 1:
        raise AnswerError("two_model_new", f"{len(kernels)} of its code blocks define a class ModelNew")
    return kernels[0]
