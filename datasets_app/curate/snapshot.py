"""What is known of a row when it is chosen: the part that may change tomorrow, kept with the release."""

from collections import Counter
from typing import Any

from datasets_app.curate.row import Row

FIELDS = (
    "outcome",
    "measured_speedup",
    "device",
    "verdict",
    "claimed_speedup",
    "claimed_correct",
    "trace_tokens",
    "tokenizer",
    "generator",
    "language",
    "source",
    "licence",
    "kind",
    "task_name",
    "suite",
    "level",
)
COUNTED = ("kind", "language", "source", "licence", "generator", "outcome", "device", "verdict")


def snapshot_of(row: Any, provenance: dict[str, Any] | None = None) -> dict[str, Any]:
    """`provenance` says which verification, engine and torch the outcome comes from."""
    fields = {name: getattr(row, name) for name in FIELDS}
    return fields | ({"evidence": provenance} if provenance else {})


class Counts:
    """Rows by each of the ways in which a card counts them."""

    def __init__(self) -> None:
        self.by: dict[str, Counter[str]] = {name: Counter() for name in ("split", "reason", *COUNTED)}

    def add(self, row: Row, split: str, reason: str) -> None:
        self.by["split"][split] += 1
        self.by["reason"][reason] += 1
        for name in COUNTED:
            self.by[name][getattr(row, name)] += 1

    def to_json(self) -> dict[str, dict[str, int]]:
        return {name: dict(sorted(counts.items(), key=most_first)) for name, counts in self.by.items()}


def most_first(item: tuple[str, int]) -> tuple[int, str]:
    return (-item[1], item[0])
