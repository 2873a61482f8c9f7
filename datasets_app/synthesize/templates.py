"""Prompts as versioned data (templates.toml), and the messages that they make of a task."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from datasets_app.synthesize.errors import SynthesisError

FILE = Path(__file__).with_name("templates.toml")
PROGRAM, HARDWARE, KERNEL, FEEDBACK = "{{program}}", "{{hardware}}", "{{kernel}}", "{{feedback}}"
REFINE = "refine"  # the prompt of every turn but the first
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
    return {name: template for name, template in all_templates().items() if name != REFINE}


def refinement() -> Template:
    """Return the prompt of a further turn."""
    return all_templates()[REFINE]


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


def for_program(messages: Messages, program: str, kernel: str = "", feedback: str = "") -> Messages:
    """Return the messages that ask for one task; a further turn has the kernel before it and the feedback on that."""
    texts = {PROGRAM: program.strip(), KERNEL: kernel.strip(), FEEDBACK: feedback.strip()}
    place = re.compile("|".join(map(re.escape, texts)))  # in one pass: what is put in is not searched again
    return [{**one, "content": place.sub(lambda found: texts[found[0]], one["content"])} for one in messages]
