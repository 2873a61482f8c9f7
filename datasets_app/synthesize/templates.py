"""Prompts as versioned data (templates.toml), and the messages that they make of a task."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from datasets_app.synthesize.errors import SynthesisError

FILE = Path(__file__).with_name("templates.toml")
PROGRAM, HARDWARE = "{{program}}", "{{hardware}}"
Messages = list[dict[str, str]]


@dataclass(frozen=True)
class Template:
    """A prompt: its texts hold {{program}} and, in some, {{hardware}}."""

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
def templates() -> dict[str, Template]:
    """Return all prompts by name."""
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: Template(name, values["version"], values["title"], [
            {"role": role, "content": values[role].strip()} for role in ("system", "user")
        ])
        for name, values in read.items()
    }  # fmt: skip


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


def for_program(messages: Messages, program: str) -> Messages:
    """Return the messages that ask for one task."""
    return [{**one, "content": one["content"].replace(PROGRAM, program.strip())} for one in messages]
