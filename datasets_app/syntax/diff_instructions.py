"""Compares two schedules of machine code: an instruction that both have at another place has moved.

Rescheduling keeps the instructions and changes their order (and their control codes), which a difference by lines
would show as removed here and added there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from datasets_app.syntax.diff import (
    MOST_PAIRS,
    Budget,
    Diff,
    Row,
    Span,
    folded,
    lines_of,
    marked,
    spans,
)
from datasets_app.syntax.sass import instruction


def compare_instructions(left: str, right: str) -> Diff:
    """Return the difference of two listings without addresses (sass.comparable)."""
    a, b = lines_of(left), lines_of(right)
    keys_a, keys_b = [instruction(line) for line in a], [instruction(line) for line in b]
    differing = list(spans(keys_a, keys_b))
    to, came = moves(keys_a, keys_b, differing)
    rows = list(rows_of(a, b, differing, to, came))
    removed = sum(row.kind in ("removed", "changed") and not row.moved for row in rows)
    added = sum(row.kind in ("added", "changed") and not row.moved for row in rows)
    return Diff(list(folded(rows)), added, removed, len(to))


def moves(
    a: Sequence[str], b: Sequence[str], differing: Iterable[Span]
) -> tuple[dict[int, int], dict[int, int]]:
    """Return where each instruction that left its place went, and where each that arrived came from.

    Equal instructions are paired in their order, so that as few as possible cross each other.
    """
    arrived: dict[str, list[int]] = defaultdict(list)
    gone: list[int] = []
    for a0, a1, b0, b1 in differing:
        gone.extend(range(a0, a1))
        for at in range(b0, b1):
            arrived[b[at]].append(at)
    waiting = {key: iter(places) for key, places in arrived.items() if key}
    to = {at: place for at in gone if (place := next(waiting.get(a[at], iter(())), None)) is not None}
    return to, {place: at for at, place in to.items()}


def rows_of(
    a: Sequence[str],
    b: Sequence[str],
    differing: Iterable[Span],
    to: Mapping[int, int],
    came: Mapping[int, int],
) -> Iterator[Row]:
    at_a = at_b = 0
    budget = Budget(MOST_PAIRS)
    for a0, a1, b0, b1 in differing:
        yield from kept_rows(a, b, at_a, a0, at_b, budget)
        yield from changed_rows(a, b, (a0, a1, b0, b1), to, came, budget)
        at_a, at_b = a1, b1
    yield from kept_rows(a, b, at_a, len(a), at_b, budget)


def kept_rows(a: Sequence[str], b: Sequence[str], a0: int, a1: int, b0: int, budget: Budget) -> Iterator[Row]:
    """Yield instructions that stayed; those with another control code have changed."""
    for at_a, at_b in zip(range(a0, a1), range(b0, b0 + a1 - a0), strict=True):
        if a[at_a] == b[at_b]:
            yield Row("same", at_a + 1, at_b + 1, [(False, a[at_a])], [(False, b[at_b])])
        else:
            yield Row("changed", at_a + 1, at_b + 1, *marked(a[at_a], b[at_b], budget))


def changed_rows(
    a: Sequence[str],
    b: Sequence[str],
    span: Span,
    to: Mapping[int, int],
    came: Mapping[int, int],
    budget: Budget,
) -> Iterator[Row]:
    """Yield the moved instructions of a stretch at their places, and pair the others in their order."""
    at_a, end_a, at_b, end_b = span
    while at_a < end_a or at_b < end_b:
        if at_a < end_a and at_a in to:
            yield replace(removed(a, at_a), moved=to[at_a] + 1)
            at_a += 1
        elif at_b < end_b and at_b in came:
            yield replace(added(b, at_b), moved=came[at_b] + 1)
            at_b += 1
        elif at_a < end_a and at_b < end_b:
            yield Row("changed", at_a + 1, at_b + 1, *marked(a[at_a], b[at_b], budget))
            at_a, at_b = at_a + 1, at_b + 1
        elif at_a < end_a:
            yield removed(a, at_a)
            at_a += 1
        else:
            yield added(b, at_b)
            at_b += 1


def removed(a: Sequence[str], at: int) -> Row:
    return Row("removed", left=at + 1, left_parts=[(False, a[at])])


def added(b: Sequence[str], at: int) -> Row:
    return Row("added", right=at + 1, right_parts=[(False, b[at])])
