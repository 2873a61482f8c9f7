"""A reasoning trace in segments, told by rule: plan, attempt, self-correction, code, conclusion.

The rules look at how a paragraph begins and at what it says it does; they claim nothing about whether it is
right. Joined, the segments' texts are the trace.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
# A paragraph ends at a blank line. A long one also ends where the writer turns round in the middle of it.
BREAK = re.compile(r"\n[ \t]*\n\s*|(?<=[.?!:])\s+(?=(?:Oh |But |Hmm, |Ah, |No, )?(?:[Ww]ait|[Hh]mm)\b[,. ])")
CORRECTION = re.compile(
    r"\W{0,3}(?:(?:oh|but|hmm|ah|so|no|okay|ok),? ){0,2}(?:wait\b|hmm+\b|hold on\b|actually,|on second thou?ght\b|no,"
    r"|scratch that\b|correction\b|that(?:'s| is|’s) (?:wrong|not right|incorrect)|i (?:made|was) (?:a mistake|wrong)"
    r"|let me (?:re-?check|reconsider|double[- ]check|re-?think|correct|re-?do|try again)|however, (?:wait|that))",
    re.IGNORECASE,
)
CONCLUSION = re.compile(
    r"\W{0,3}(?:(?:so|okay|now|thus|therefore|alright),? ){0,2}(?:putting (?:it|this|everything) (?:all )?together"
    r"|in summary|to summari[sz]e|in conclusion|overall,|finally, (?:the|i|here)"
    r"|(?:here is|here's|this is) the (?:final|complete|full)"
    r"|the final (?:code|kernel|version|implementation|answer)|final (?:code|answer|version)"
    r"|i think (?:this|that) (?:should|will|is)|(?:this|that) should (?:work|be))",
    re.IGNORECASE,
)
PLAN = re.compile(
    r"\b(?:the plan\b|my plan\b|plan:|the (?:idea|approach|strategy|steps?) (?:is|are|would|here)"
    r"|first,? (?:i|let|we)\b|steps?:|possible (?:approach|optimi)|(?:the )?(?:task|goal|problem) is\b"
    r"|i (?:need|have|want) to (?:optimi[sz]e|write|implement|replace|figure|create|design|think|understand)\b"
    r"|let me (?:start|begin|think|plan|first|outline)\b)",
    re.IGNORECASE,
)
TITLE_CHARS = 90


class Kind(StrEnum):
    PLAN = "plan"
    ATTEMPT = "attempt"
    CORRECTION = "self-correction"
    CODE = "code"
    CONCLUSION = "conclusion"


@dataclass(frozen=True)
class Segment:
    """`start` and `end` are character positions in the trace, `first_line` counts from 1."""

    kind: Kind
    start: int
    end: int
    first_line: int
    title: str
    tokens: int


@dataclass(frozen=True)
class Paragraph:
    kind: Kind
    start: int
    end: int


def segments(text: str, count_tokens: Callable[[str], int]) -> list[Segment]:
    """The trace in order, neighbours of one kind joined, each with its length in tokens."""
    found: list[Segment] = []
    line, at = 1, 0
    for part in joined(paragraphs(text), text):
        line += text.count("\n", at, part.start)
        at = part.start
        body = text[part.start : part.end]
        found.append(Segment(part.kind, part.start, part.end, line, title_of(body), count_tokens(body)))
    return found


def paragraphs(text: str) -> Iterator[Paragraph]:
    """Prose paragraphs and fenced code; each takes the blank lines after it along."""
    at = 0
    for fence in FENCE.finditer(text):
        yield from prose(text, at, fence.start())
        yield Paragraph(Kind.CODE, fence.start(), fence.end())
        at = fence.end()
    yield from prose(text, at, len(text))


def prose(text: str, start: int, end: int) -> Iterator[Paragraph]:
    at = start
    for gap in BREAK.finditer(text, start, end):
        yield Paragraph(kind_of(text, at, gap.end()), at, gap.end())
        at = gap.end()
    if at < end:
        yield Paragraph(kind_of(text, at, end), at, end)


def kind_of(text: str, start: int, end: int) -> Kind:
    opening = text[start : min(end, start + 400)].lstrip()
    share = start / max(1, len(text))
    if CORRECTION.match(opening):
        return Kind.CORRECTION
    if share >= 0.5 and CONCLUSION.match(opening):
        return Kind.CONCLUSION
    if share <= 0.35 and PLAN.search(opening):
        return Kind.PLAN
    return Kind.ATTEMPT


def joined(parts: Iterator[Paragraph], text: str) -> Iterator[Paragraph]:
    """Neighbours of one kind as one. Blank text belongs to what stands before it; a correction stands alone."""
    held: Paragraph | None = None
    for part in parts:
        blank = not text[part.start : part.end].strip()
        same = held is not None and held.kind == part.kind and part.kind != Kind.CORRECTION
        if held is not None and (blank or same):
            held = Paragraph(held.kind, held.start, part.end)
            continue
        if held is not None:
            yield held
        held = part
    if held is not None:
        yield held


def title_of(body: str) -> str:
    """The first words, on one line."""
    lines = [
        line
        for line in body.strip().split("\n", 6)[:6]
        if line.strip() and not line.strip().startswith("```")
    ]
    words = " ".join(lines[0].split()) if lines else ""
    return words if len(words) <= TITLE_CHARS else words[:TITLE_CHARS].rsplit(" ", 1)[0] + " …"
