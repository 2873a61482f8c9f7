"""Splits a reasoning trace into segments by static rules: plan, attempt, self-correction, code, conclusion.

The rules examine how a paragraph begins and what it announces, not whether it is right. The segments' texts, joined,
are the trace.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
# A paragraph ends at a blank line. A long one also ends where the author changes direction in the middle of
# it.
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
    r"|i think (?:this|that) (?:should|will|is)|(?:this|that) should (?:work|be)"
    r"|the (?:code|kernel|implementation|solution) (?:would|will|should) (?:be|look)|i(?:'ll|’ll| will) go with\b"
    r"|by (?:fusing|combining|replacing|doing) [^.]{1,200}, (?:we|this|the)\b|in the end,"
    r"|this (?:approach|implementation|version|kernel|code) (?:should|will|would)\b)",
    re.IGNORECASE,
)
PLAN = re.compile(
    r"\b(?:the plan\b|my plan\b|plan:|the (?:idea|approach|strategy|steps?) (?:is|are|would|here)"
    r"|first,? (?:i|let|we)\b|steps?:|possible (?:approach|optimi)|(?:the )?(?:task|goal|problem) is\b"
    r"|i (?:need|have|want) to (?:optimi[sz]e|write|implement|replace|figure|create|design|think|understand)\b"
    r"|let me (?:start|begin|think|plan|first|outline)\b)",
    re.IGNORECASE,
)
# A line of code without a fence, by how it begins, by its whole form, or by how it ends.
CODE_LINE = re.compile(
    r"\s*(?:#\s*(?:include|pragma|define|if|endif)\b|//|/\*|\*/|@\w|__(?:global|device|shared|host)__\b"
    r"|import \w|from [\w.]+ import |(?:async )?def \w+\(|class \w+.*:$|return\b.*[;)\]\w]$|else:?$"
    r"|(?:for|while|if|switch) ?\(.*[{;)]\s*$|(?:for|while|if|elif|with) .*:$"
    r"|[\w.\[\]*&<>:, ]+ ?(?:[-+*/|&]|<<|>>)?= ?[^=\s]|[\w.:]+(?:<<<.*>>>)?\(.*\)[;:]?$"
    r"|[)\]}]+[;,:]?$|[\w.]+(?:: ?[\w.]+)?,$)"
    r"|.*(?:[;{]|\}[;,]?)\s*(?://.*)?$"
)
LONGEST_CODE_LINE = 300
SENTENCE_LINE = re.compile(
    r"[a-z)] ?[.?!]$|[a-z]{2}[.?!] [A-Z]|[→⇒]|^\s*(?:[-*•]|\d+[.)]) |^\s*[A-Z][a-z]+ (?:[a-z]+ ){3}"
)
SURE_LINE = re.compile(r"\s*(?://|#\s*include\b|__(?:global|device|shared)__\b|@triton\b)|.*[;{}]\s*$")
CODE_SHARE = 0.75
FENCES = ("```", "~~~")
LIST_ITEM = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")
TITLE_CHARS = 90
TITLED_CHARS = 2_000  # at the beginning of a segment, from which its title is taken
ANALYSED_CHARS = 500_000  # a long trace has a fifth of that
MOST_SEGMENTS = 2_000
LONGEST_LINES, LONGEST_CHARS = 1_000, 60_000  # of one segment
LINES = re.compile(rf"(?:[^\n]*+\n){{1,{LONGEST_LINES}}}+(?:[^\n]++\Z)?")
JUDGED_CHARS = 20_000  # per paragraph, to distinguish code from prose


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


def segments(text: str, count_all: Callable[[Sequence[str]], Sequence[int]]) -> list[Segment]:
    """Return the trace in order, adjacent segments of one kind joined, each with its length in tokens.

    The first MOST_SEGMENTS of the first ANALYSED_CHARS are classified; the rest counts as an attempt. No segment is
    longer than LONGEST_LINES lines or LONGEST_CHARS characters: a longer one continues in the next.
    """
    parts = [piece for part in divided(text) for piece in pieces_of(part, text)]
    bodies = [text[part.start : part.end] for part in parts]
    pieces: list[Segment] = []
    line, at = 1, 0
    for part, body, tokens in zip(parts, bodies, count_all(bodies), strict=True):
        line += text.count("\n", at, part.start)
        at = part.start
        pieces.append(Segment(part.kind, part.start, part.end, line, title_of(body), tokens))
    return pieces


def undivided(text: str) -> list[Segment]:
    """Return the trace in pieces of one kind, neither classified nor counted."""
    pieces: list[Segment] = []
    line, at = 1, 0
    for part in pieces_of(Paragraph(Kind.ATTEMPT, 0, len(text)), text):
        line, at = line + text.count("\n", at, part.start), part.start
        pieces.append(
            Segment(part.kind, part.start, part.end, line, title_of(text[part.start : part.end]), 0)
        )
    return pieces


def is_divided(parts: Sequence[Segment], text: str) -> bool:
    """Return whether the whole trace was classified, and not only its beginning."""
    return len(text) <= ANALYSED_CHARS and len(parts) < MOST_SEGMENTS


def divided(text: str) -> Iterator[Paragraph]:
    end = 0
    for part in islice(joined(paragraphs(text[:ANALYSED_CHARS]), text), MOST_SEGMENTS):
        yield part
        end = part.end
    if end < len(text):
        yield Paragraph(Kind.ATTEMPT, end, len(text))


def pieces_of(part: Paragraph, text: str) -> Iterator[Paragraph]:
    at = part.start
    while at < part.end:
        lines = LINES.match(text, at, part.end)
        end = min(lines.end() if lines else part.end, part.end)
        if end - at > LONGEST_CHARS:
            end = text.rfind("\n", at, at + LONGEST_CHARS) + 1 or at + LONGEST_CHARS
        yield Paragraph(part.kind, at, end)
        at = end


def paragraphs(text: str) -> Iterator[Paragraph]:
    """Yield prose paragraphs and fenced code, each with the blank lines after it."""
    at = 0
    for fence in FENCE.finditer(text):
        yield from prose(text, at, fence.start())
        yield Paragraph(Kind.CODE, fence.start(), fence.end())
        at = fence.end()
    yield from prose(text, at, len(text))


def prose(text: str, start: int, end: int) -> Iterator[Paragraph]:
    at, kind, opens_list = start, Kind.ATTEMPT, False
    for last in (*(gap.end() for gap in BREAK.finditer(text, start, end)), end):
        if at < last:
            is_item = bool(LIST_ITEM.match(text, at, last))
            if not (is_item and opens_list):  # a list belongs to what announces it
                kind = kind_of(text, at, last)
            opens_list = is_item or text[at:last].rstrip().endswith(":")
            yield Paragraph(kind, at, last)
        at = last


def is_code(paragraph: str) -> bool:
    """Return whether nearly all lines look like code; a single line must do so clearly."""
    lines = [line for line in paragraph.split("\n") if line.strip()]
    like = CODE_LINE if len(lines) > 1 else SURE_LINE
    written = [
        line
        for line in lines
        if len(line) <= LONGEST_CODE_LINE and like.match(line) and not SENTENCE_LINE.search(line)
    ]
    return bool(written) and len(written) >= CODE_SHARE * len(lines)


def kind_of(text: str, start: int, end: int) -> Kind:
    if is_code(text[start : min(end, start + JUDGED_CHARS)]):
        return Kind.CODE
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
    """Join adjacent segments of one kind. Blank text belongs to the segment before it; corrections and fences stay
    apart."""
    held: Paragraph | None = None
    for part in parts:
        blank = text[part.start : part.end].isspace()
        same = held is not None and held.kind == part.kind and part.kind != Kind.CORRECTION
        same = same and not (is_fenced(text, part) or (held is not None and is_fenced(text, held)))
        if held is not None and (blank or same):
            held = Paragraph(held.kind, held.start, part.end)
            continue
        if held is not None:
            yield held
        held = part
    if held is not None:
        yield held


def is_fenced(text: str, part: Paragraph) -> bool:
    return part.kind == Kind.CODE and text[part.start : min(part.end, part.start + 200)].lstrip().startswith(
        FENCES
    )


def title_of(body: str) -> str:
    """Return the first words, on one line."""
    lines = [
        line
        for line in body[:TITLED_CHARS].strip().split("\n", 6)[:6]
        if line.strip() and not line.strip().startswith("```")
    ]
    words = " ".join(lines[0].split()) if lines else ""
    return words if len(words) <= TITLE_CHARS else words[:TITLE_CHARS].rsplit(" ", 1)[0] + " …"
