"""The three panes of a sample: program, trace with its claims, kernel."""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from datasets_app.browse.code_pane import CodePane, code_pane, is_long, window
from datasets_app.claims import Checked, Claim, Measured, check, find, measured
from datasets_app.claims.answers import CONFIRMED, CONTRADICTED, UNKNOWN
from datasets_app.highlight import Mark, Names, ShownSegment, shown_segments
from datasets_app.models import Sample
from datasets_app.tokens import count_all
from datasets_app.trace import Segment, segments

WORST_FIRST = (CONTRADICTED, CONFIRMED, UNKNOWN)


@dataclass(frozen=True)
class Strip:
    """A segment's place in the whole trace, in thousandths of its length."""

    segment: ShownSegment
    x: float
    width: float


@dataclass(frozen=True)
class ClaimGroup:
    """Claims of one kind that have one answer."""

    first: Checked
    mentions: list[Checked]

    @property
    def title(self) -> str:
        value = self.first.claim.value
        return f"{self.first.claim.kind}: {value:g}" if value is not None else self.first.claim.kind


@dataclass(frozen=True)
class TracePane:
    segments: list[ShownSegment]
    tokens: int
    line_count: int
    claims: list[Checked]
    is_checked: bool = True  # claims wait until the kernel is read

    @property
    def digits(self) -> int:
        return len(str(self.line_count))

    @property
    def strips(self) -> list[Strip]:
        found, x = [], 0.0
        for shown in self.segments:
            width = 1000 * shown.segment.tokens / max(1, self.tokens)
            found.append(Strip(shown, round(x, 1), round(width, 1)))
            x += width
        return found

    @property
    def kinds(self) -> list[tuple[str, int, int]]:
        """Kind, tokens, percent of the whole; the largest first."""
        tokens: Counter[str] = Counter()
        for shown in self.segments:
            tokens[shown.segment.kind] += shown.segment.tokens
        return [(kind, n, round(100 * n / max(1, self.tokens))) for kind, n in tokens.most_common()]

    @property
    def claim_groups(self) -> list[ClaimGroup]:
        """What was contradicted first."""
        groups: dict[tuple[str, float | None, str], list[Checked]] = {}
        for one in self.claims:
            groups.setdefault((one.claim.kind, one.claim.value, one.answer.why), []).append(one)
        ordered = sorted(groups.values(), key=lambda group: WORST_FIRST.index(group[0].answer.verdict))
        return [ClaimGroup(group[0], group) for group in ordered]

    @property
    def verdicts(self) -> list[tuple[str, int]]:
        counts = Counter(group.first.answer.verdict for group in self.claim_groups)
        return [(verdict, counts[verdict]) for verdict in WORST_FIRST if counts[verdict]]


@dataclass(frozen=True)
class Panes:
    program: CodePane
    trace: TracePane | None
    kernel: CodePane


def panes(sample: Sample, line: int | None = None) -> Panes:
    """The three texts, ready to show; the sample comes with its bodies. One query, for what was measured.

    With `line`, a long kernel shows the part that holds it, and what must read the whole kernel waits."""
    source = sample.body.kernel_code
    if line is not None and is_long(source):
        kernel = window("kernel", "Kernel", source, line)
    else:
        kernel = code_pane("kernel", "Kernel", source)
    program = code_pane("program", "PyTorch program", sample.task.body.pytorch_code)
    facts = measured(sample) if sample.has_trace and sample.outcome else Measured()
    return Panes(program, trace_pane(sample, program, kernel, facts), kernel)


@lru_cache(maxsize=64)
def read_trace(text: str) -> tuple[list[Segment], list[Claim]]:
    """Segments and claims. Kept for the next reader: texts never change under their id."""
    parts = segments(text, count_all)
    return parts, find(text, parts)


def trace_pane(sample: Sample, program: CodePane, kernel: CodePane, facts: Measured) -> TracePane | None:
    text = sample.body.reasoning
    if not sample.has_trace:
        return None
    parts, found = read_trace(text)
    claims = check(found, kernel.kernel, facts) if kernel.is_read else []
    marks = [Mark(one.claim.start, one.claim.end, one.number, one.answer.verdict) for one in claims]
    marks.sort(key=lambda mark: mark.start)
    names = Names(kernel.kernel.names, program.kernel.names)
    shown = shown_segments(text, parts, names, marks)
    return TracePane(shown, sum(part.tokens for part in parts), text.count("\n") + 1, claims, kernel.is_read)
