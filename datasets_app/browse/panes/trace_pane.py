"""The pane of a trace: its segments with their claims, one window at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from datasets_app.browse.highlight import Mark, Names, ShownSegment, shown_segments
from datasets_app.syntax.kernel import Kernel
from datasets_app.traces.claims import Checked, Measured, check, find
from datasets_app.traces.claims.answers import CONFIRMED, CONTRADICTED, UNKNOWN
from datasets_app.traces.lengths import loaded
from datasets_app.traces.segments import (
    ANALYSED_CHARS,
    MOST_SEGMENTS,
    Segment,
    is_divided,
    segments,
    undivided,
)

WORST_FIRST = (CONTRADICTED, CONFIRMED, UNKNOWN)
WINDOW_HTML, WINDOW_CHARS = 1_200_000, 500_000  # characters per window of segments
LISTED_SEGMENTS = 1_000  # in the outline and the strip


@dataclass(frozen=True)
class Strip:
    """A segment's position in the whole trace, in thousandths of its length."""

    segment: Segment
    number: int
    x: float
    width: float


@dataclass(frozen=True)
class ClaimGroup:
    """Claims of one kind with the same answer."""

    first: Checked
    mentions: list[Checked]

    @property
    def title(self) -> str:
        value = self.first.claim.value
        return f"{self.first.claim.kind}: {value:g}" if value is not None else self.first.claim.kind


@dataclass(frozen=True)
class TracePane:
    """`listed` are the segments of the outline, `shown` those of the window, with their HTML.

    `previous` and `next` are the first segments of the neighbouring windows; 0: there is none.
    """

    listed: tuple[Segment, ...]
    segment_count: int
    shown: tuple[ShownSegment, ...]
    tokens: int
    line_count: int
    kinds: tuple[tuple[str, int, int], ...]  # kind, tokens, percent of the whole; the largest first
    claims: tuple[Checked, ...]
    previous: int = 0
    next: int = 0
    first_line: int = 1
    next_line: int = 0
    is_checked: bool = True  # claims are checked when the kernel has been read
    gaps: tuple[str, ...] = ()
    failure: str = ""

    @property
    def digits(self) -> int:
        return len(str(self.line_count))

    @property
    def more_segments(self) -> int:
        return self.segment_count - len(self.listed)

    def is_shown(self, number: int) -> bool:
        return bool(self.shown) and self.shown[0].number <= number <= self.shown[-1].number

    @property
    def strips(self) -> list[Strip]:
        strips, x = [], 0.0
        for number, part in enumerate(self.listed, 1):
            width = 1000 * part.tokens / max(1, self.tokens)
            strips.append(Strip(part, number, round(x, 1), round(width, 1)))
            x += width
        return strips

    @property
    def claim_groups(self) -> list[ClaimGroup]:
        """Groups of claims, contradicted ones first."""
        groups: dict[tuple[str, float | None, str], list[Checked]] = {}
        for checked in self.claims:
            groups.setdefault((checked.claim.kind, checked.claim.value, checked.answer.why), []).append(
                checked
            )
        ordered = sorted(groups.values(), key=lambda group: WORST_FIRST.index(group[0].answer.verdict))
        return [ClaimGroup(group[0], group) for group in ordered]

    @property
    def verdicts(self) -> list[tuple[str, int]]:
        counts = Counter(group.first.answer.verdict for group in self.claim_groups)
        return [(verdict, counts[verdict]) for verdict in WORST_FIRST if counts[verdict]]


def trace_pane(
    text: str, first: int, kernel: Kernel | None, program: Kernel, facts: Measured, tokenizer: str
) -> TracePane:
    """Return the window of the trace that begins with segment number `first`. Without the kernel, claims are not
    checked.
    """
    parts = segments(text, loaded(tokenizer).count)
    claims = check(find(text, parts), kernel, facts) if kernel else []
    marks = sorted(
        (Mark(row.claim.start, row.claim.end, row.number, row.answer.verdict) for row in claims),
        key=lambda mark: mark.start,
    )
    names = Names(kernel.names if kernel else {}, program.names)
    first = min(max(1, first), max(1, len(parts)))
    shown = window(text, parts, first, names, marks)
    return assembled(text, parts, shown, first, claims=tuple(claims), is_checked=kernel is not None)


def plain_trace_pane(text: str, first: int, failure: str) -> TracePane:
    """Return the pane without any analysis: the text in pieces, escaped only."""
    parts = undivided(text)
    first = min(max(1, first), len(parts))
    shown = window(text, parts, first, Names({}, {}), [], coloured=False)
    return assembled(text, parts, shown, first, is_checked=True, failure=failure)


def assembled(
    text: str,
    parts: Sequence[Segment],
    shown: Sequence[ShownSegment],
    first: int,
    *,
    claims: tuple[Checked, ...] = (),
    is_checked: bool,
    failure: str = "",
) -> TracePane:
    follows = first + len(shown)
    return TracePane(
        listed=tuple(parts[:LISTED_SEGMENTS]),
        segment_count=len(parts),
        shown=tuple(shown),
        tokens=sum(part.tokens for part in parts),
        line_count=text.count("\n") + 1,
        kinds=kinds_of(parts),
        claims=claims,
        previous=previous_of(parts, first),
        next=follows if follows <= len(parts) else 0,
        first_line=parts[first - 1].first_line if parts else 1,
        next_line=parts[follows - 1].first_line if follows <= len(parts) else 0,
        is_checked=is_checked,
        gaps=() if failure or is_divided(parts, text) else (UNDIVIDED,),
        failure=failure,
    )


UNDIVIDED = (
    f"Only the first {MOST_SEGMENTS:,} segments within the first {ANALYSED_CHARS:,} characters are analysed; "
    "the rest is shown as one segment."
)


def previous_of(parts: Sequence[Segment], first: int) -> int:
    """Return the number of the first segment of the previous window."""
    at, size = first - 1, 0
    while at and size < WINDOW_CHARS // 2 and first - at < LISTED_SEGMENTS:
        at -= 1
        size += parts[at].end - parts[at].start
    return at + 1 if at < first - 1 else 0


def window(
    text: str,
    parts: Sequence[Segment],
    first: int,
    names: Names,
    marks: Sequence[Mark],
    *,
    coloured: bool = True,
) -> list[ShownSegment]:
    """Return segments from number `first` on, up to WINDOW_HTML or WINDOW_CHARS."""
    shown: list[ShownSegment] = []
    size = chars = 0
    for segment in shown_segments(text, parts, names, marks, first=first, coloured=coloured):
        shown.append(segment)
        size, chars = (
            size + len(segment.html) + SEGMENT_HTML,
            chars + segment.segment.end - segment.segment.start,
        )
        if size > WINDOW_HTML or chars > WINDOW_CHARS:
            break
    return shown


SEGMENT_HTML = 350  # approximate size of a segment's heading


def kinds_of(parts: Sequence[Segment]) -> tuple[tuple[str, int, int], ...]:
    tokens: Counter[str] = Counter()
    for part in parts:
        tokens[part.kind] += part.tokens
    total = max(1, sum(tokens.values()))
    return tuple((str(kind), n, round(100 * n / total)) for kind, n in tokens.most_common())
