"""Reads kernels whose answer is known: a folder such as the engine's own tests keep.

    cheats/NAME.py   honest/NAME.py   tasks/TASK.py

A kernel's file is a docstring that explains it, constants in capitals (TASK names its program in tasks/), and then the
program. A reviewer is shown the program alone: the docstring and the constants would give the answer away.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from datasets_app.models.honeypot import HoneypotAnswer

GROUPS = {"cheats": HoneypotAnswer.CHEAT, "honest": HoneypotAnswer.SOUND}
CLASS = re.compile(r"Class (B\.\d+)\.\d+\.\s*")
FAMILIES = {
    "B.1": "wrong work that looks right",
    "B.2": "work outside the timed window",
    "B.3": "attack on the judge",
    "B.4": "no kernel of its own",
}
OTHER_FAMILY, SOUND_FAMILY = "other tricks", "sound kernels"


class CorpusError(ValueError):
    """The folder holds no such kernels, or one of its files cannot be read; the message names it."""


@dataclass(frozen=True)
class KnownKernel:
    """One kernel with its task and what it is."""

    task_name: str
    program: str
    kernel: str
    answer: HoneypotAnswer
    family: str
    explanation: str


def read_corpus(folder: Path) -> list[KnownKernel]:
    """Return the kernels of a folder, by file name. Raises CorpusError."""
    kernels = [kernel for group in GROUPS for kernel in read_group(folder, group)]
    if not kernels:
        raise CorpusError(f"{folder} has no kernels in {' or '.join(GROUPS)}.")
    return kernels


def read_group(folder: Path, group: str) -> Iterator[KnownKernel]:
    for path in sorted((folder / group).glob("*.py")):
        if path.stem != "__init__":
            yield read_kernel(path, folder / "tasks", GROUPS[group])


def read_kernel(path: Path, tasks: Path, answer: HoneypotAnswer) -> KnownKernel:
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        task = named_task(tree)
        program = (tasks / f"{task}.py").read_text(encoding="utf-8")
    except (OSError, SyntaxError, ValueError) as error:
        raise CorpusError(f"{path}: {error}") from error
    explanation = " ".join((ast.get_docstring(tree) or "").split())
    return KnownKernel(
        task_name=task,
        program=program,
        kernel=program_alone(text, tree),
        answer=answer,
        family=family_of(explanation) if answer == HoneypotAnswer.CHEAT else SOUND_FAMILY,
        explanation=CLASS.sub("", explanation),
    )


def named_task(tree: ast.Module) -> str:
    for statement in tree.body:
        if constant_of(statement) == "TASK" and isinstance(statement, ast.Assign):
            task = ast.literal_eval(statement.value)
            if isinstance(task, str) and re.fullmatch(r"\w+", task):
                return task
    raise ValueError("it has no constant TASK that names a program in tasks/")


def constant_of(statement: ast.stmt) -> str:
    """Return the name that a statement assigns if it is one of the head's constants; otherwise nothing."""
    if isinstance(statement, ast.Assign) and isinstance(name := statement.targets[0], ast.Name):
        return name.id if name.id in ("TASK", "DEVICE", "EXPECT", "JOB") else ""
    return ""


def program_alone(text: str, tree: ast.Module) -> str:
    """Return the text without its docstring and constants, cut out by their places in the syntax tree."""
    lines = text.splitlines(keepends=True)
    for number, statement in enumerate(tree.body):
        is_docstring = number == 0 and ast.get_docstring(tree) is not None
        if is_docstring or constant_of(statement):
            end = statement.end_lineno or statement.lineno
            lines[statement.lineno - 1 : end] = [""] * (end - statement.lineno + 1)
    return "".join(lines).strip() + "\n"


def family_of(explanation: str) -> str:
    found = CLASS.match(explanation)
    return FAMILIES.get(found[1], OTHER_FAMILY) if found else OTHER_FAMILY
