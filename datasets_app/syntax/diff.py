"""Compares two texts: changed lines, the changed words in them, and folded equal parts."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import groupby

CONTEXT = 3  # unchanged lines shown around a change
PLAIN_LINES = 400  # up to this length difflib compares all pairs of lines
DEEPEST = 50  # anchors between anchors
MOST_PAIRS = 400_000  # of equal lines in one difference, and as many of equal words
MOST_PAIRS_OF_LINES, MOST_PAIRS_OF_WORDS = 40_000, 4_000  # per stretch; per line
WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
LEAST_IN_COMMON = 0.35  # between two lines whose words are compared
LONGEST_MARKED_LINE = 2_000  # longer lines are marked as changed in full

Part = tuple[bool, str] | tuple[bool, str, str]  # (changed, text), and the css class once it is coloured
Span = tuple[int, int, int, int]  # left from, left to, right from, right to


@dataclass(frozen=True)
class Row:
    """A line of either side or of both. Numbers count from 1; 0 means that the side has no such line."""

    kind: str  # same, changed, removed, added
    left: int = 0
    right: int = 0
    left_parts: list[Part] = field(default_factory=list)
    right_parts: list[Part] = field(default_factory=list)
    moved: int = 0  # the line on the other side that this removed or added one is the same as; 0: none


@dataclass(frozen=True)
class Line:
    """A line of the unified view."""

    kind: str  # same, removed, added
    left: int
    right: int
    parts: list[Part]
    moved: int = 0


@dataclass(frozen=True)
class Hunk:
    """Consecutive rows. A folded hunk holds only unchanged ones."""

    rows: list[Row]
    folded: bool

    def lines(self) -> Iterator[Line]:
        """Yield the unified view: of a run of changes, the removed lines come before the added ones."""
        for same, group in groupby(self.rows, key=lambda row: row.kind == "same"):
            run = list(group)
            if same:
                yield from (Line("same", row.left, row.right, row.right_parts) for row in run)
                continue
            yield from (Line("removed", row.left, 0, row.left_parts, row.moved) for row in run if row.left)
            yield from (Line("added", 0, row.right, row.right_parts, row.moved) for row in run if row.right)


@dataclass(frozen=True)
class Diff:
    hunks: list[Hunk]
    added: int
    removed: int
    reordered: int = 0  # lines that are on both sides, at other places; neither added nor removed

    @property
    def same(self) -> bool:
        return not (self.added or self.removed or self.reordered)


def compare(left: str, right: str, *, ignore_space: bool = False) -> Diff:
    """Compare two texts by lines. With `ignore_space`, lines that differ only in white space are equal."""
    a, b = lines_of(left), lines_of(right)
    key = squeezed if ignore_space else str
    rows = list(rows_of(a, b, spans([key(line) for line in a], [key(line) for line in b])))
    removed = sum(row.kind in ("removed", "changed") for row in rows)
    added = sum(row.kind in ("added", "changed") for row in rows)
    return Diff(list(folded(rows)), added, removed)


def lines_of(text: str) -> list[str]:
    return text.rstrip("\n").split("\n") if text else []


def squeezed(line: str) -> str:
    return "".join(line.split())


def spans(a: Sequence[str], b: Sequence[str]) -> Iterator[Span]:
    """Yield the differing stretches in order. Lines that occur once on either side are anchors (patience diff), so that
    the time grows with a file's length and not with its square."""
    yield from between(a, b, 0, len(a), 0, len(b), Budget(MOST_PAIRS))


@dataclass
class Budget:
    """The pairs of equal lines or words that may still be examined; later stretches are shown as changed."""

    left: int

    def allows(self, a: Iterable[str], b: Iterable[str], most: int) -> bool:
        """Return whether two stretches have at most `most` equal pairs, within the budget, and deduct them."""
        counts = Counter(b)
        pairs = sum(counts[line] for line in a)
        if pairs > min(most, self.left):
            return False
        self.left -= pairs
        return True


def between(
    a: Sequence[str], b: Sequence[str], a0: int, a1: int, b0: int, b1: int, budget: Budget, depth: int = 0
) -> Iterator[Span]:
    while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
        a0, b0 = a0 + 1, b0 + 1
    while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
        a1, b1 = a1 - 1, b1 - 1
    if a0 == a1 and b0 == b1:
        return
    both = a0 < a1 and b0 < b1 and depth < DEEPEST
    anchors = unique_matches(a, b, a0, a1, b0, b1) if both else []
    if not anchors:
        yield from plainly(a, b, a0, a1, b0, b1, budget)
        return
    for at_a, at_b in [*anchors, (a1, b1)]:
        if at_a >= a0 and at_b >= b0:
            yield from between(a, b, a0, at_a, b0, at_b, budget, depth + 1)
            a0, b0 = at_a + 1, at_b + 1


def plainly(
    a: Sequence[str], b: Sequence[str], a0: int, a1: int, b0: int, b1: int, budget: Budget
) -> Iterator[Span]:
    long = max(a1 - a0, b1 - b0) > PLAIN_LINES or a0 == a1 or b0 == b1
    if long or not budget.allows(a[a0:a1], b[b0:b1], MOST_PAIRS_OF_LINES):
        yield a0, a1, b0, b1
        return
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a[a0:a1], b[b0:b1], autojunk=False).get_opcodes():
        if tag != "equal":
            yield a0 + i1, a0 + i2, b0 + j1, b0 + j2


def unique_matches(
    a: Sequence[str], b: Sequence[str], a0: int, a1: int, b0: int, b1: int
) -> list[tuple[int, int]]:
    """Return pairs of equal lines that occur once on either side, in the same order on both."""
    counts_a, counts_b = Counter(a[a0:a1]), Counter(b[b0:b1])
    place = {b[at]: at for at in range(b0, b1) if counts_b[b[at]] == 1}
    pairs = [(at, place[a[at]]) for at in range(a0, a1) if counts_a[a[at]] == 1 and a[at] in place]
    return longest_rising(pairs)


def longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence of pairs whose second members rise."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, (_, value) in enumerate(pairs):
        pile = bisect_left(tops, value)
        before.append(ends[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(value)
            ends.append(at)
        else:
            tops[pile], ends[pile] = value, at
    chain = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def rows_of(a: list[str], b: list[str], differing: Iterator[Span]) -> Iterator[Row]:
    at_a = at_b = 0
    budget = Budget(MOST_PAIRS)
    for a0, a1, b0, b1 in differing:
        yield from same_rows(a, b, at_a, a0, at_b)
        yield from changed_rows(a, b, a0, a1, b0, b1, budget)
        at_a, at_b = a1, b1
    yield from same_rows(a, b, at_a, len(a), at_b)


def same_rows(a: list[str], b: list[str], a0: int, a1: int, b0: int) -> Iterator[Row]:
    for at in range(a1 - a0):
        yield Row("same", a0 + at + 1, b0 + at + 1, [(False, a[a0 + at])], [(False, b[b0 + at])])


def changed_rows(
    a: list[str], b: list[str], a0: int, a1: int, b0: int, b1: int, budget: Budget
) -> Iterator[Row]:
    """Pair the lines of a changed stretch in their order; the rest was removed or added."""
    both = min(a1 - a0, b1 - b0)
    for at in range(both):
        left, right = marked(a[a0 + at], b[b0 + at], budget)
        yield Row("changed", a0 + at + 1, b0 + at + 1, left, right)
    for at in range(a0 + both, a1):
        yield Row("removed", left=at + 1, left_parts=[(False, a[at])])
    for at in range(b0 + both, b1):
        yield Row("added", right=at + 1, right_parts=[(False, b[at])])


def marked(left: str, right: str, budget: Budget) -> tuple[list[Part], list[Part]]:
    """Return two lines in parts with the differing words marked, or unmarked if they have little in common."""
    if max(len(left), len(right)) > LONGEST_MARKED_LINE:
        return [(False, left)], [(False, right)]
    a, b = WORD.findall(left), WORD.findall(right)
    if not budget.allows(a, b, MOST_PAIRS_OF_WORDS):
        return [(False, left)], [(False, right)]
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    if in_common(a, b, matcher) < LEAST_IN_COMMON:
        return [(False, left)], [(False, right)]
    left_parts: list[Part] = []
    right_parts: list[Part] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if i1 < i2:
            left_parts.append((tag != "equal", "".join(a[i1:i2])))
        if j1 < j2:
            right_parts.append((tag != "equal", "".join(b[j1:j2])))
    return left_parts, right_parts


def in_common(a: list[str], b: list[str], matcher: SequenceMatcher[str]) -> float:
    """Return the share of words that both have, from 0 to 1, spaces left out."""
    same = sum(count_words(a[block.a : block.a + block.size]) for block in matcher.get_matching_blocks())
    return 2 * same / max(1, count_words(a) + count_words(b))


def count_words(parts: list[str]) -> int:
    return sum(not part.isspace() for part in parts)


def folded(rows: list[Row]) -> Iterator[Hunk]:
    """Split rows into hunks; unchanged rows further than CONTEXT from a change are folded."""
    changes = [at for at, row in enumerate(rows) if row.kind != "same"]
    near = {at for change in changes for at in range(change - CONTEXT, change + CONTEXT + 1)}
    held: list[Row] = []
    held_folded = False
    for at, row in enumerate(rows):
        fold = at not in near
        if held and fold != held_folded:
            yield Hunk(held, held_folded and len(held) > 1)
            held = []
        held_folded = fold
        held.append(row)
    if held:
        yield Hunk(held, held_folded and len(held) > 1)
