"""Faults in a typed line: their positions, and suggested replacements."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from datasets_app.browse.query.errors import BrowseError
from datasets_app.browse.query.fields import ChoiceField

MOST_OFFERED = 16


@dataclass(frozen=True)
class Fault:
    """One fault. `start` and `end` count characters of the line from 0; `instead` are replacements for them."""

    start: int
    end: int
    sentence: str
    instead: tuple[str, ...] = ()


class TypedError(BrowseError):
    """A line that cannot be parsed, with all its faults."""

    def __init__(self, text: str, faults: list[Fault]) -> None:
        self.text = text
        self.faults = faults
        super().__init__({"query": [fault.sentence for fault in faults]})

    @property
    def carets(self) -> str:
        """Return a line to show below the text, with a caret under every faulty character."""
        marks = [" "] * max(fault.end for fault in self.faults)
        for fault in self.faults:
            marks[fault.start : fault.end] = "^" * (fault.end - fault.start)
        return "".join(marks)

    def corrected(self, fault: Fault, instead: str) -> str:
        return self.text[: fault.start] + instead + self.text[fault.end :]

    @property
    def without_faults(self) -> str:
        """The words of the line that contain no fault."""
        words: list[str] = []
        at = 0
        for word in self.text.split():
            at = self.text.index(word, at)
            if not any(fault.start < at + len(word) and at < fault.end for fault in self.faults):
                words.append(word)
            elif words and words[-1] == "NOT":
                words.pop()
            at += len(word)
        return " ".join(words)


def suggested_names(name: str, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(difflib.get_close_matches(name, names, n=3))


def suggested_values(field: ChoiceField, text: str) -> tuple[str, ...]:
    """Return the closest allowed values; if none is close, all of them."""
    wanted = text.strip().lower().replace(" ", "_")
    near = difflib.get_close_matches(wanted, field.allowed(), n=3)
    begun = [value for value in field.allowed() if wanted and value.startswith(wanted)]
    return tuple(dict.fromkeys([*begun, *near])) or tuple(field.allowed()[:MOST_OFFERED])
