"""The places that a text search found: one highlighted snippet per row of a page, with a link to its line.

Bounded: one query reads the beginnings of the page's texts, never those of other rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models.functions import Substr

from datasets_app.browse.highlight import Html
from datasets_app.browse.highlight.markup import safe
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.db.text_index import Term, terms
from datasets_app.db.uuids import among
from datasets_app.models import Sample

MOST_CHARS = 100_000  # of each text; a match further on is named without a snippet
MOST_NEEDLES = 6
MOST_TRIES = 2_000  # occurrences of a word that are compared with a phrase or a word's ends, per text
BEFORE, AFTER = 60, 110  # characters around the match
MOST_SHOWN = 400  # characters: a long match is cut
FAR_LINE = 1_000  # a long text is shown in parts of this many lines, of which the link names one
TEXTS = {"kernel": "body__kernel_code", "trace": "body__reasoning", "program": "task__body__pytorch_code"}
PARAMETERS = {"kernel": "line", "program": "program_line"}  # of the sample page: where a text begins

Span = tuple[int, int]
Needle = Callable[[str, str], Iterator[Span]]  # of a text and of the same text in lower case


@dataclass(frozen=True)
class Snippet:
    """A part of one text with the matches marked. `field` is empty if the match is not near a text's beginning."""

    field: str = ""
    line: int = 0
    html: Html = Html("")  # noqa: RUF009  a constant

    def url(self, sample_url: str) -> str:
        """Return the sample's URL, which has a query already, at this line."""
        if not self.field:
            return sample_url
        far = self.line > FAR_LINE and self.field in PARAMETERS
        part = f"&{PARAMETERS[self.field]}={self.line}" if far else ""
        return f"{sample_url}{part}#{self.field}-L{self.line}"


def snippets(ids: Iterable[UUID], chosen: BrowseFilter) -> dict[UUID, Snippet]:
    """Return a snippet per sample if the filter searches texts, else nothing; one query."""
    needles = needles_of(chosen)
    if not needles:
        return {}
    texts = [Substr(path, 1, MOST_CHARS) for path in TEXTS.values()]
    rows: Any = Sample.objects.filter(pk__in=among(ids)).order_by().values_list("pk", *texts)
    return {pk: snippet_of(dict(zip(TEXTS, found, strict=True)), needles) for pk, *found in rows}


def needles_of(chosen: BrowseFilter) -> list[Needle]:
    """Return a finder for each word, phrase and part of the code that the filter wants."""
    words = [word_needle(term) for term in terms(chosen.text)] if chosen.text else []
    parts = [part_needle(text, any_case=False) for text in chosen.get("code")]
    parts += [part_needle(text, any_case=True) for text in chosen.get("icode")]
    return [*words, *parts][:MOST_NEEDLES]


def part_needle(part: str, *, any_case: bool) -> Needle:
    def spans(text: str, lower: str) -> Iterator[Span]:
        wanted, within = (part.lower(), lower) if any_case else (part, text)
        at = within.find(wanted)
        while at >= 0:
            yield at, at + len(wanted)
            at = within.find(wanted, at + len(wanted))

    return spans


def word_needle(term: Term) -> Needle:
    """Find adjacent whole words, whatever is between them; the last may be a prefix.

    The pattern begins with a word as it is: searching for that is fast. Whether a word begins there is tested after.
    """
    pattern = re.compile(
        r"\W{1,40}".join(map(re.escape, [word.lower() for word in term.words]))
        + ("" if term.prefix else r"(?!\w)")
    )

    def spans(text: str, lower: str) -> Iterator[Span]:
        match, tries = pattern.search(lower), 0
        while match and tries < MOST_TRIES:
            at, end = match.span()
            begins = not at or not (lower[at - 1].isalnum() or lower[at - 1] == "_")
            if begins:
                yield at, end
            match, tries = pattern.search(lower, end if begins else at + 1), tries + 1

    return spans


def snippet_of(texts: dict[str, str | None], needles: list[Needle]) -> Snippet:
    """Return the snippet of the text in which most of the needles are; the kernel goes before the trace."""
    best, matched = Snippet(), 0
    for field, text in texts.items():
        if not text or matched == len(needles):
            continue
        lower = lowered(text)
        firsts = [span for needle in needles if (span := next(needle(text, lower), None))]
        if len(firsts) > matched:
            start, end = min(firsts)
            matched = len(firsts)
            best = Snippet(field, text.count("\n", 0, start) + 1, marked(text, (start, end), needles))
    return best


def lowered(text: str) -> str:
    """Return the text in lower case with every character in its place; the few that would grow stay as they are."""
    lower = text.lower()
    return (
        lower if len(lower) == len(text) else "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    )


def marked(text: str, match: Span, needles: list[Needle]) -> Html:
    """Return the surroundings of a match in one line, with every match in them marked."""
    low = max(0, match[0] - BEFORE)
    high = min(len(text), match[1] + AFTER, low + MOST_SHOWN)
    part = text[low:high]
    spans = sorted(span for needle in needles for span in needle(part, lowered(part)))
    pieces, at = ["… " if low else ""], 0
    for start, end in spans:
        if start < at:
            continue
        pieces += [flat(part[at:start]), f"<mark>{flat(part[start:end])}</mark>"]
        at = end
    pieces += [flat(part[at:]), " …" if high < len(text) else ""]
    return Html("".join(pieces))


def flat(text: str) -> str:
    return safe(re.sub(r"\s+", " ", text))
