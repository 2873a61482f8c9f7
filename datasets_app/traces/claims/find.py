"""Finds typed claims in a trace. Only plain statements count, not questions, conditions, options or denials.

The rules examine one sentence at a time and are strict: a missed claim costs a reader nothing, while an invented one
would misquote the author.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from datasets_app.traces.claims.patterns import (
    COMPARING,
    DENIED,
    DENYING,
    INDEXED,
    MEASURING,
    NO_NEED,
    NOT_OURS,
    OPTION,
    PATTERNS,
    UNDECIDED,
    WORDS,
)
from datasets_app.traces.segments import Kind, Segment

MOST_CLAIMS = 200
READ_CHARS = 300_000  # per trace
LONGEST_SENTENCE = 600
SENTENCE = re.compile(r"[^\n.!?]+(?:\.(?=\S)[^\n.!?]*)*[.!?]?")


@dataclass(frozen=True)
class Claim:
    """Character positions in the trace. `value` is the number that the claim names."""

    kind: str
    start: int
    end: int
    line: int
    text: str
    value: float | None = None
    arrays: tuple[str, ...] = ()  # that the sentence indexes; it may refer to these only
    corrected_at: int = 0  # the line where the trace next corrects itself; 0: it does not


KIND_OF_WORD = [(word, kind) for kind, words in WORDS.items() for word in words]


def find(text: str, parts: Iterable[Segment]) -> list[Claim]:
    """Return claims in the order of the trace; code is skipped, and no span counts for two kinds."""
    parts = list(parts)
    claims: list[Claim] = []
    for part in parts:
        if part.start > READ_CHARS:
            break
        if part.kind == Kind.CODE:
            continue
        for sentence in SENTENCE.finditer(text, part.start, part.end):
            if len(claims) >= MOST_CLAIMS:
                return dated(claims, parts)
            kinds = kinds_in(sentence[0].lower()) if len(sentence[0]) <= LONGEST_SENTENCE else []
            if kinds:
                claims.extend(in_sentence(text, sentence.start(), sentence.end(), part, kinds))
    return dated(claims, parts)


def dated(claims: list[Claim], parts: list[Segment]) -> list[Claim]:
    """Return each claim with the line where the trace next corrects itself."""
    turns = [(part.start, part.first_line) for part in parts if part.kind == Kind.CORRECTION]
    later = [next((line for start, line in turns if start >= claim.end), 0) for claim in claims]
    return [replace(claim, corrected_at=line) for claim, line in zip(claims, later, strict=True)]


def kinds_in(sentence: str) -> list[str]:
    """Return the kinds whose words a lower-case sentence contains."""
    return list(dict.fromkeys([kind for word, kind in KIND_OF_WORD if word in sentence]))


def in_sentence(text: str, start: int, end: int, part: Segment, kinds: list[str]) -> Iterator[Claim]:
    sentence = text[start:end]
    spoken = [
        kind for kind in kinds if PATTERNS[kind].search(sentence)
    ]  # the words alone seldom make a claim
    if not spoken or sentence.rstrip().endswith("?") or NOT_OURS.search(sentence):
        return
    nearby = max(0, start - LONGEST_SENTENCE)
    whole_line = text[text.rfind("\n", nearby, start) + 1 or nearby : end]
    if OPTION.match(whole_line):
        return
    undecided = weighs(sentence)
    measuring = weighs(COMPARING.sub("", sentence))
    taken: list[tuple[int, int]] = []
    arrays = tuple(dict.fromkeys(INDEXED.findall(sentence)))
    for kind in spoken:
        if measuring if kind in MEASURING else undecided:
            continue
        for match in PATTERNS[kind].finditer(sentence):
            first, last = match.span("what")
            if any(first < b and a < last for a, b in taken) or (
                kind not in DENYING and denied(sentence, first)
            ):
                continue
            taken.append((first, last))
            line = part.first_line + text.count("\n", part.start, start + first)
            yield Claim(kind, start + first, start + last, line, match["what"], value_of(match), arrays)


def weighs(sentence: str) -> bool:
    return bool(UNDECIDED.search(NO_NEED.sub("", sentence)))


def denied(sentence: str, at: int) -> bool:
    """Return whether something before the words, in their clause, negates them."""
    clause = re.split(r"[,;:()]|\bbut\b|\bso\b|\band\b", sentence[:at])[-1]
    return bool(DENIED.search(clause))


SCALES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
SCALE_WORDS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}


def value_of(match: re.Match[str]) -> float | None:
    """Return the number that a claim names, with its prefix or word for thousands applied; None for one too large."""
    groups = match.groupdict()
    values = [value for name, value in groups.items() if name.startswith("value") and value]
    scale = (groups.get("scale") or "").strip()
    factor = SCALES.get(scale) or SCALE_WORDS.get(scale.lower(), 1.0)
    number = float(values[0].replace(",", "")) * factor if values else math.inf
    return number if math.isfinite(number) else None
