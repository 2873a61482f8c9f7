"""Answers to claims, and reasons why something that was not found may still exist."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from datasets_app.syntax.kernel.facts import Kernel, Use, lines_of

CONFIRMED, CONTRADICTED, UNKNOWN = "confirmed", "contradicted", "unknown"
MOST_LINES = 12
LONGEST_WHY = 500  # characters of a sentence that lists names


@dataclass(frozen=True)
class Answer:
    """An answer. `lines` are the kernel's; `by`: syntax, compiler, measurement, profile or nothing."""

    verdict: str
    why: str
    lines: tuple[int, ...] = ()
    by: str = "syntax"


def shortened(why: str) -> str:
    return why if len(why) <= LONGEST_WHY else f"{why[:LONGEST_WHY]} …"


def unknown(why: str, lines: Iterable[int] = ()) -> Answer:
    return Answer(UNKNOWN, shortened(why), tuple(lines)[:MOST_LINES], "nothing")


def confirmed(why: str, lines: Iterable[int] = (), by: str = "syntax") -> Answer:
    return Answer(CONFIRMED, shortened(why), tuple(dict.fromkeys(lines))[:MOST_LINES], by)


def contradicted(why: str, lines: Iterable[int] = (), by: str = "syntax") -> Answer:
    return Answer(CONTRADICTED, shortened(why), tuple(dict.fromkeys(lines))[:MOST_LINES], by)


def in_doubt(kernel: Kernel) -> Answer | None:
    """Return why the syntax cannot show that something is missing; None if the whole program was read."""
    if kernel.problems:
        return unknown(
            f"Not found, but {count(len(kernel.problems), 'place')} could not be parsed.", kernel.problems
        )
    if kernel.gaps:
        return unknown(f"Not found, but the kernel was not read in full: {kernel.gaps[0]}.")
    if kernel.holes:
        return unknown(
            f"Not found, but part of the source is made at run time: {', '.join(kernel.holes[:3])}."
        )
    if library := kernel.of_group("library"):
        return unknown("Not found in its own code; it calls a library that may do this.", lines_of(library))
    if "triton" in kernel.languages:
        return unknown("Triton's compiler decides this; the program does not say.")
    return None


def count(number: int, word: str) -> str:
    plural = "es" if word.endswith(("s", "ch")) else "s"
    return f"{number} {word}{'' if number == 1 else plural}"


def names_of(uses: Iterable[Use]) -> str:
    return ", ".join(dict.fromkeys(use.name for use in uses))


def absent(kernel: Kernel, what: str) -> Answer:
    """Return "contradicted" for something absent, unless there is a reason to doubt that."""
    if not kernel.has_device_code:
        return in_doubt(kernel) or contradicted("The program has no GPU kernel of its own.")
    return in_doubt(kernel) or contradicted(f"No {what} in any of its kernels.")
