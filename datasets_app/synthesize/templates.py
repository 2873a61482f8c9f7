"""Prompts as versioned data (templates.toml), and the messages that they make of a task."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from datasets_app.synthesize.errors import SynthesisError

FILE = Path(__file__).with_name("templates.toml")
PROGRAM, HARDWARE, KERNEL, FEEDBACK = "{{program}}", "{{hardware}}", "{{kernel}}", "{{feedback}}"
REFINE = "refine"  # the prompt of every turn but the first
JUDGE = "judge"  # the prompt of the second request, whose answer advises the first
ROLES = {"system": "system", "user": "user", "assistant": "assistant", "feedback": "user"}
Messages = list[dict[str, str]]


@dataclass(frozen=True)
class Template:
    """A prompt: its texts hold {{program}}, in some {{hardware}}, and in a further turn {{kernel}} and {{feedback}}."""

    name: str
    version: int
    title: str
    messages: Messages

    @property
    def label(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def needs_hardware(self) -> bool:
        return any(HARDWARE in message["content"] for message in self.messages)


@cache
def all_templates() -> dict[str, Template]:
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: Template(name, values["version"], values["title"], [
            {"role": role, "content": values[part].strip()} for part, role in ROLES.items() if part in values
        ])
        for name, values in read.items()
    }  # fmt: skip


def templates() -> dict[str, Template]:
    """Return the prompts of a first turn by name."""
    return {name: template for name, template in all_templates().items() if name not in (REFINE, JUDGE)}


def refinement() -> Template:
    """Return the prompt of a further turn."""
    return all_templates()[REFINE]


def judging() -> Template:
    """Return the judge's prompt."""
    return all_templates()[JUDGE]


def template_named(name: str) -> Template:
    """Return a prompt. Raises SynthesisError."""
    if found := templates().get(name):
        return found
    raise SynthesisError(f"No prompt is called {name!r}. Prompts: {', '.join(templates())}.")


def with_hardware(template: Template, hardware: str) -> Messages:
    """Return the texts with facts about the GPU in them, if the prompt has a place for them. Raises SynthesisError."""
    if template.needs_hardware and not hardware.strip():
        raise SynthesisError(
            f"The prompt {template.name} needs facts about the GPU, such as its memory's bandwidth."
        )
    return [
        {**one, "content": one["content"].replace(HARDWARE, hardware.strip())} for one in template.messages
    ]


@dataclass(frozen=True)
class Told:
    """What the model is told of an earlier turn: its kernel, and the feedback on it."""

    kernel: str
    feedback: str


NO_TURN = Told("", "")


def for_program(messages: Messages, program: str, turns: Sequence[Told] = ()) -> Messages:
    """Return the messages that ask for one task. The texts with a place for a kernel or feedback are repeated for each
    turn, the earliest first, and left out if there is none.
    """
    first = [one for one in messages if not is_of_turn(one)]
    repeated = [one for one in messages if is_of_turn(one)]
    made = [filled(one, program) for one in first]
    return made + [filled(one, program, turn) for turn in turns for one in repeated]


def is_of_turn(message: Mapping[str, str]) -> bool:
    return KERNEL in message["content"] or FEEDBACK in message["content"]


def filled(message: Mapping[str, str], program: str, turn: Told = NO_TURN) -> dict[str, str]:
    texts = {PROGRAM: program.strip(), KERNEL: turn.kernel.strip(), FEEDBACK: turn.feedback.strip()}
    place = re.compile("|".join(map(re.escape, texts)))  # in one pass: what is put in is not searched again
    return {**message, "content": place.sub(lambda found: texts[found[0]], message["content"])}
