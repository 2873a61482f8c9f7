"""A row as a conversation: the prompt from a template with named places, and the answer with or without its trace.

A template is text, never code: `{program}` and the other places are replaced once, and `{{` and `}}` stand for braces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any

from datasets_app.text_input.validate import prose_fault

PLACES = {
    "program": "the reference program, in a fence longer than any inside it",
    "task": "the task's name",
    "language": "the kernel's language, such as CUDA",
    "device": "the device of the evidence; empty where there is none",
}
DEFAULT_TEMPLATE = (
    "Write a faster implementation of the following PyTorch program as a class `ModelNew` with the same "
    "interface.\n\n{program}"
)
LONGEST_TEMPLATE = 20_000
LANGUAGES = {
    "cuda": "CUDA",
    "cpp": "C++",
    "triton": "Triton",
    "python": "Python",
    "hip": "HIP",
    "sass": "SASS",
}
BACKTICKS = re.compile("`+")
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """The assistant's turn, and where the trace and the kernel begin in it, in characters."""

    text: str
    starts: Mapping[str, int]  # "trace" only if it is there, and "kernel"


def template_fault(template: str) -> str:
    """Return what is wrong with a template, in a sentence; '' if nothing is."""
    if fault := prose_fault("The prompt", template, LONGEST_TEMPLATE):
        return fault
    try:
        fields = [(name, spec, how) for _, name, spec, how in Formatter().parse(template) if name is not None]
    except ValueError:
        return (
            "The prompt has a brace without its partner: write {{ and }} for braces that are meant as such."
        )
    for name, spec, how in fields:
        if name not in PLACES or spec or how:
            known = ", ".join(f"{{{place}}}" for place in PLACES)
            return f"The prompt names {{{name}}}, which it cannot: the places are {known}."
    if not any(name == "program" for name, _, _ in fields):
        return "The prompt lacks {program}: without it, a model would not see what to make faster."
    return ""


def prompt(template: str, row: Row) -> str:
    """Return the user's turn, from a template in which `template_fault` finds nothing."""
    return "".join(part if isinstance(part, str) else value(part[0], row) for part in pieces(template))


def pieces(template: str) -> Iterator[str | tuple[str]]:
    for literal, name, _, _ in Formatter().parse(template):
        yield literal
        if name is not None:
            yield (name,)


def value(place: str, row: Row) -> str:
    if place == "program":
        return fenced(row["pytorch_code"], fence(row["pytorch_code"]))
    if place == "language":
        return LANGUAGES.get(str(row["language"]), "")
    return str(row["problem_name" if place == "task" else place] or "")


def fence(*texts: str) -> str:
    """Return backticks, three or more, one more than the longest run in any of the texts."""
    longest = max((len(run) for text in texts for run in BACKTICKS.findall(text)), default=0)
    return "`" * max(3, longest + 1)


def fenced(text: str, marks: str) -> str:
    return f"{marks}python\n{text}\n{marks}"


def answer(row: Row, think: bool = True) -> Answer:
    """Return the assistant's turn: the trace, if there is one and it is wanted, in think tags, then the kernel.

    The fence is longer than any in the trace too, so that both can be read back whatever they contain.
    """
    trace, kernel = (row["generated_think"] or "") if think else "", row["generated_code"]
    marks = fence(trace, kernel)
    opening = f"<think>\n{trace}\n</think>\n" if trace else ""
    starts = {"kernel": len(opening) + len(marks) + len("python\n")}
    if trace:
        starts["trace"] = len("<think>\n")
    return Answer(opening + fenced(kernel, marks), starts)


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}
