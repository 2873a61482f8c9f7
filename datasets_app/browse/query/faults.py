"""Where a typed line is at fault, and what could stand there instead."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from datasets_app.browse.query.errors import BrowseError
from datasets_app.browse.query.fields import ChoiceField

MOST_OFFERED = 16


@dataclass(frozen=True)
class Fault:
    """`start` and `end` count characters of the line from 0; `instead` are texts to put between them."""

    start: int
    end: int
    sentence: str
    instead: tuple[str, ...] = ()


class TypedError(BrowseError):
    """A line that cannot be understood, with every place that is at fault."""

    def __init__(self, text: str, faults: list[Fault]) -> None:
        self.text = text
        self.faults = faults
        super().__init__({"query": [fault.sentence for fault in faults]})

    @property
    def carets(self) -> str:
        """A line to stand under the text: a caret under every character that is at fault."""
        marks = [" "] * max(fault.end for fault in self.faults)
        for fault in self.faults:
            marks[fault.start : fault.end] = "^" * (fault.end - fault.start)
        return "".join(marks)

    def mended(self, fault: Fault, instead: str) -> str:
        return self.text[: fault.start] + instead + self.text[fault.end :]

    @property
    def without_faults(self) -> str:
        """The words of the line that no fault touches."""
        kept, at = [], 0
        for word in self.text.split():
            at = self.text.index(word, at)
            if not any(fault.start < at + len(word) and at < fault.end for fault in self.faults):
                kept.append(word)
            at += len(word)
        return " ".join(kept)


def suggested_names(name: str, known: Iterable[str]) -> tuple[str, ...]:
    return tuple(difflib.get_close_matches(name, known, n=3))


def suggested_values(field: ChoiceField, text: str) -> tuple[str, ...]:
    """The nearest of the allowed values; where none is near, all of them."""
    wanted = text.strip().lower().replace(" ", "_")
    near = difflib.get_close_matches(wanted, field.allowed(), n=3)
    begun = [value for value in field.allowed() if wanted and value.startswith(wanted)]
    return tuple(dict.fromkeys([*begun, *near])) or tuple(field.allowed()[:MOST_OFFERED])
