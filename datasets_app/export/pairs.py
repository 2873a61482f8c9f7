"""Pairs of rows of one task of which one is better, each with what says so. Only rows of one release and device."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Row = Mapping[str, Any]
# In the order in which a pair that several of them know is taken.
KINDS = {
    "honest": "a kernel that passed, and one that cheats",
    "reviewers": "a kernel that most reviewers chose, and the other one",
    "fast": "a kernel, and a slower one whose interval ends below",
    "concise": "a kernel that is not slower with its trace, and one with a trace twice as long or longer",
}
LONGER = 2


class Pair(NamedTuple):
    kind: str
    chosen: Row
    rejected: Row


def pairs_of(rows: Sequence[Row], kinds: Collection[str]) -> Iterator[Pair]:
    """Yield the pairs among the rows of one task. Two rows make one pair, of the first kind that knows them."""
    seen: set[frozenset[str]] = set()
    for kind in (kind for kind in KINDS if kind in kinds):
        for chosen, rejected in FOUND_BY[kind](rows):
            both = frozenset({chosen["uuid"], rejected["uuid"]})
            if both not in seen:
                seen.add(both)
                yield Pair(kind, chosen, rejected)


def honest(rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    """Yield the best kernel with each cheat."""
    if best := max(sound(rows), key=rank, default=None):
        yield from ((best, row) for row in rows if row["outcome"] == "cheated")


def reviewers(rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    by_id = {row["uuid"]: row for row in rows}
    for row in rows:
        for votes in row["preferences"] or ():
            if votes["votes_for"] > votes["votes_against"] and votes["other"] in by_id:
                yield row, by_id[votes["other"]]


def fast(rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    """Yield the fastest kernel with each that is slower beyond doubt."""
    timed = [row for row in sound(rows) if is_certain(row)]
    if best := max(timed, key=rank, default=None):
        yield from ((best, row) for row in timed if is_slower(row, best))


def concise(rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    """Yield the kernel with the shortest trace with each that has a much longer one and is not faster for it."""
    traced = [row for row in sound(rows) if row["trace_tokens"]]
    if best := min(traced, key=lambda row: (row["trace_tokens"], row["uuid"]), default=None):
        for row in traced:
            alike = row["tokenizer"] == best["tokenizer"]
            if alike and row["trace_tokens"] >= LONGER * best["trace_tokens"] and not is_slower(best, row):
                yield best, row


FOUND_BY = {"honest": honest, "reviewers": reviewers, "fast": fast, "concise": concise}


def sound(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that passed, and that reviewers do not reject."""
    return [row for row in rows if row["outcome"] == "passed" and row["verdict"] not in ("fix", "reject")]


def rank(row: Row) -> tuple[float, str]:
    return (row["speedup_over_eager"] or 0.0, row["uuid"])


def interval(row: Row) -> tuple[float, float] | None:
    """Return the interval over all like runs, else that of the run; None if the row has no time."""
    ends = (row["between_low"], row["between_high"])
    low, high = ends if None not in ends else (row["speedup_low"], row["speedup_high"])
    return None if low is None or high is None else (low, high)


def is_certain(row: Row) -> bool:
    """Return whether its speedup may be ranked: its runs agree, and the judge's clock does not contradict it."""
    doubted = any(finding["code"] == "time_unconfirmed" for finding in row["findings"] or ())
    return interval(row) is not None and not row["runs_disagree"] and not doubted


def is_slower(row: Row, other: Row) -> bool:
    """Return whether its interval ends below the other's, on the same device."""
    mine, its = interval(row), interval(other)
    return bool(mine and its and row["device"] == other["device"] and mine[1] < its[0])
