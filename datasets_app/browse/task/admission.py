"""Describes the result of a task's admission test: how much a pass of the task proves. Pure."""

from collections.abc import Mapping
from typing import Any

# Answers that reduce what a pass proves: key -> (that answer, its meaning).
EMPTY = {
    "valid_reference": (False, "its program fails as a reference"),
    "deterministic": (False, "its program returns different outputs for the same inputs"),
    "output_moves": (False, "its output does not depend on its inputs"),
    "constant_passes": (True, "a constant passes"),
    "zeros_pass": (True, "zeros pass"),
    "mean_passes": (True, "the mean of the output passes"),
}
BLUNT = {
    "lower_precision_passes": (True, "bfloat16 passes"),
    "half_passes": (True, "half precision passes"),
    "random": (True, "the program draws random numbers of its own"),
}
FOLLOWED = {"inputs": "inputs", "weights": "weights"}


def proves_little(answers: Mapping[str, Any] | None) -> list[str]:
    """Return the reasons why a kernel could pass without computing the task; empty if there are none."""
    answers = answers or {}
    ignored = [text for name in FOLLOWED if (text := not_followed(answers, name))]
    return [*texts_of(answers, EMPTY), *ignored]


def cannot_tell(answers: Mapping[str, Any] | None) -> list[str]:
    """Return what a pass does not show about a kernel that does compute the task, such as a loss of precision."""
    return texts_of(answers or {}, BLUNT)


def texts_of(answers: Mapping[str, Any], meanings: Mapping[str, tuple[bool, str]]) -> list[str]:
    return [text for name, (bad, text) in meanings.items() if answers.get(name) is bad]


def not_followed(answers: Mapping[str, Any], name: str) -> str:
    """Return "2 of 3 weights do not change its output"; empty if all do, or none was tested."""
    asked, moved = answers.get(f"{name}_asked"), answers.get(f"{name}_that_move")
    if not isinstance(asked, int) or not isinstance(moved, int) or moved >= asked:
        return ""
    return f"{asked - moved} of {asked} {FOLLOWED[name]} do not change its output"


def sentence(answers: Mapping[str, Any] | None) -> str:
    """Return one sentence for a sample's evidence; empty if the task is a good one or was not tested."""
    if reasons := proves_little(answers):
        return f"A pass of this task proves little: {', '.join(reasons)}."
    if reasons := cannot_tell(answers):
        return f"Weak test: {', '.join(reasons)}."
    return ""
