"""Checks of typed text. Names may contain no hidden character. Prose may contain those that its language needs, which
pages make visible, but no control character that a terminal or a browser would act on.
"""

import re
import unicodedata

from datasets_app.text_input.characters import HIDDEN
from datasets_app.text_input.storable import UNSTORABLE

LINE_BREAK = re.compile(r"[\t\n]")
# Controls of C0 and C1 but tab and line ends: ANSI sequences begin with one. Surrogates cannot be stored.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class FieldsError(ValueError):
    """Invalid fields; `errors` maps a field to a sentence."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = errors


def prose_fault(what: str, text: str, most: int) -> str:
    """Return an error if a text of several lines is too long or contains a control character; otherwise ''."""
    return length_fault(what, text, most) or character_fault(what, CONTROL.search(text))


def name_fault(what: str, text: str, most: int) -> str:
    """Return an error if a text of one line is too long or contains a hidden character; otherwise ''."""
    return length_fault(what, text, most) or character_fault(
        what, HIDDEN.search(text) or LINE_BREAK.search(text)
    )


def storable_fault(what: str, text: str, most: int) -> str:
    """Return an error if a text that is never shown as prose, such as a filter, is too long or cannot be stored."""
    return length_fault(what, text, most) or character_fault(what, UNSTORABLE.search(text))


def length_fault(what: str, text: str, most: int) -> str:
    return f"{what} has {len(text):,} characters; at most {most:,} are allowed." if len(text) > most else ""


def character_fault(what: str, match: re.Match[str] | None) -> str:
    if match is None:
        return ""
    code = ord(match[0])
    name = unicodedata.name(match[0], "a control character").lower()
    place = match.start() + 1
    return f"{what} contains U+{code:04X} ({name}) at position {place}, which is invisible: remove it."
