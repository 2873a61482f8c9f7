"""Finds paragraphs of a trace that say again what the trace said before, nearly word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from datasets_app.traces.segments import ANALYSED_CHARS, Kind, divided

WORD = re.compile(r"\w+")
SHINGLE_WORDS = 5
FEWEST_WORDS = 20  # a shorter paragraph says little, and little is said twice by chance
REPEATED_SHARE = 0.8  # of a paragraph's shingles that occur in earlier paragraphs
MOST_REPEATS = 5


@dataclass(frozen=True)
class Repeat:
    """A paragraph, by character positions in the trace, and the share of it that was said before."""

    start: int
    end: int
    share: float


def repeats(text: str) -> list[Repeat]:
    """Return the longest prose segments that repeat earlier ones, in their order; at most MOST_REPEATS.

    Code is left out: a draft and the final version resemble each other in every good trace.
    """
    found = sorted(all_repeats(text), key=lambda one: one.start - one.end)[:MOST_REPEATS]
    return sorted(found, key=lambda one: one.start)


def all_repeats(text: str) -> Iterator[Repeat]:
    said: set[tuple[str, ...]] = set()
    for part in divided(text):
        if part.kind == Kind.CODE or part.start >= ANALYSED_CHARS:
            continue
        for start, end in prose_paragraphs(text, part.start, part.end):
            words = WORD.findall(text[start:end].lower())
            shingles = {tuple(words[at : at + SHINGLE_WORDS]) for at in range(len(words) - SHINGLE_WORDS + 1)}
            if len(words) >= FEWEST_WORDS:
                share = len(shingles & said) / len(shingles)
                if share >= REPEATED_SHARE:
                    yield Repeat(start, end, share)
            said |= shingles


def prose_paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the paragraphs between two positions without the white space around them."""
    at = start
    for block in text[start:end].split("\n\n"):
        stripped = block.strip()
        if stripped:
            first = at + block.index(stripped[0])
            yield first, first + len(stripped)
        at += len(block) + 2
