"""Places in the stored texts of a sample: from lines and columns, or from offsets, and checked against the text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from datasets_app.browse.highlight.spans import LineIndex
from datasets_app.browse.sample.comparison import text_of
from datasets_app.models import NotedText, Sample
from datasets_app.models.note import LONGEST_QUOTE
from datasets_app.review.notes.errors import NoteError, TextReplacedError
from datasets_app.text_input.storable import storable


@dataclass(frozen=True)
class Place:
    """The code points from `start` up to `end` of one text, with the digest of the text that was seen.

    An empty digest accepts the text as it is.
    """

    text: str
    start: int
    end: int
    digest: str = ""


@dataclass(frozen=True)
class CheckedPlace(Place):
    """A place that exists in the stored text, with the beginning of what is there."""

    quote: str = ""


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text as UTF-8, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def stored_text(sample: Sample, name: str) -> str:
    """Return the text. Raises NoteError if the sample has none of that name; it comes with its bodies."""
    if name not in NotedText.values:
        raise NoteError({"text": f"A note is on one of: {', '.join(NotedText.values)}."})
    text = text_of(sample, name)
    if not text:
        raise NoteError({"text": f"This sample has no {name}: choose another text."})
    return text


def checked_place(sample: Sample, place: Place) -> CheckedPlace:
    """Return the place with the current digest. Raises TextReplacedError, or NoteError for offsets out of range."""
    text = stored_text(sample, place.text)
    digest = digest_of(text)
    if place.digest and place.digest != digest:
        raise TextReplacedError(place.text)
    if not 0 <= place.start < place.end <= len(text):
        raise NoteError(
            {
                "lines": f"The {place.text} has {len(text):,} characters: a span begins at 0 or later, ends after it "
                f"begins, and at {len(text):,} at the latest; {place.start:,} to {place.end:,} does not."
            }
        )
    quote = storable(text[place.start : place.end][:LONGEST_QUOTE])
    return CheckedPlace(place.text, place.start, place.end, digest, quote)


def lines_place(
    sample: Sample,
    name: str,
    first: int,
    last: int | None = None,
    first_column: int | None = None,
    last_column: int | None = None,
    digest: str = "",
) -> Place:
    """Return the place of whole lines, or of the characters from one column to another, both included.

    Without `last`, it is the line `first`. Raises NoteError with a sentence if the text has no such lines.
    """
    text = stored_text(sample, name)
    if digest and digest != digest_of(text):
        raise TextReplacedError(name)
    index = LineIndex(text)
    last = first if last is None else last
    try:
        start = index.offset_of(first, first_column or 1)
        end = index.offset_of(last, last_column or 1)
    except ValueError as error:
        raise NoteError({"lines": str(error)}) from error
    whole = index.offset_of(last, 1) + index.line_length(last)
    end = whole if last_column is None else min(end + 1, whole)
    if end < start or last < first:
        raise NoteError({"lines": "The span ends before it begins: exchange the two."})
    if last_column is None and not index.line_length(last) and end < index.length:
        end += 1  # an empty line is its line end
    if end == start:
        raise NoteError({"lines": f"Line {first:,} of the {name} is empty: choose lines with text."})
    return Place(name, start, end, digest)
