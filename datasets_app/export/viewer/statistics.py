"""Statistics of a split's columns, over all of its rows: a release never changes, so that they are kept."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from statistics import median
from typing import Any

import orjson
from django.db.models import TextField
from django.db.models.functions import Cast

from datasets_app.export.columns import FROZEN, Column
from datasets_app.export.types import is_list
from datasets_app.export.viewer.rows import first_position
from datasets_app.models import Release, ReleaseRow

BINS = 10
MOST_LABELS = 30  # different texts; a column with more is counted only
KEPT = 32  # splits whose statistics this process keeps
CHUNK_ROWS = 1000

KINDS = {"float64": "float", "int64": "int", "bool": "bool"}  # by a column's type; all others are texts


def of_split(release: Release, split: str) -> dict[str, Any]:
    """Return the statistics of each column of a split. Raises ViewerError for a split without rows."""
    first_position(release, split)
    return computed(release.pk, release.content_sha256, split)


@lru_cache(KEPT)
def computed(release_id: int, content_sha256: str, split: str) -> dict[str, Any]:
    """Return the statistics; the hash is a part of the key, since a number may be given again."""
    columns = {column.name: ColumnValues(column) for column in FROZEN}
    rows = 0
    for snapshot in snapshots(release_id, split):
        rows += 1
        for name, column in columns.items():
            value = snapshot.get(name)
            if value is not None:
                column.add(value)
    return {
        "num_examples": rows,
        "statistics": [column.statistics(rows) for column in columns.values()],
        "partial": False,  # the Hub's answer has this key
    }


def snapshots(release_id: int, split: str) -> Iterator[dict[str, Any]]:
    rows = ReleaseRow.objects.filter(release_id=release_id, split=split).order_by()
    # As texts, which orjson reads in a third of the time.
    texts = rows.values_list(Cast("snapshot", TextField()), flat=True)
    return map(orjson.loads, texts.iterator(CHUNK_ROWS))


class ColumnValues:
    """A column's values: numbers (of a list: its length) in eight bytes each, others once each with their count."""

    def __init__(self, column: Column) -> None:
        self.name = column.name
        self.kind = "list" if is_list(column.type) else KINDS.get(column.type, "string")
        self.numbers: array[Any] = array("d" if self.kind == "float" else "q")
        self.counts: Counter[Any] = Counter()
        self.add: Callable[[Any], None] = {
            "list": self.add_length,
            "float": self.numbers.append,
            "int": self.numbers.append,
        }.get(self.kind, self.count)

    def add_length(self, value: list[Any]) -> None:
        self.numbers.append(len(value))

    def count(self, value: Any) -> None:
        self.counts[value] += 1

    def statistics(self, rows: int) -> dict[str, Any]:
        missing = rows - len(self.numbers) - self.counts.total()
        kind, facts = self.summary()
        empty = {"nan_count": missing, "nan_proportion": round(missing / rows, 5)}
        return {"column_name": self.name, "column_type": kind, "column_statistics": empty | facts}

    def summary(self) -> tuple[str, dict[str, Any]]:
        """Return the type, as the Hub names it, and what is said of the values."""
        if self.kind == "bool":
            return "bool", {"frequencies": {str(value): self.counts[value] for value in (True, False)}}
        if self.kind != "string":
            return self.kind, of_numbers(self.numbers)
        facts: dict[str, Any] = {"n_unique": len(self.counts)}
        if len(self.counts) <= MOST_LABELS:
            return "string_label", facts | {"frequencies": dict(self.counts.most_common())}
        return "string_text", facts


def of_numbers(values: array[Any]) -> dict[str, Any]:
    if not values:
        return dict.fromkeys(("min", "max", "mean", "median", "std", "histogram"))
    low, high = min(values), max(values)
    mean = math.fsum(values) / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    return {
        "min": low,
        "max": high,
        "mean": mean,
        "median": median(values),
        "std": math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else 0.0,
        "histogram": histogram(values, low, high),
    }


def histogram(values: array[Any], low: float, high: float) -> dict[str, list[Any]]:
    width = (high - low) / BINS
    counts = [0] * (BINS if width else 1)
    for value in values:
        counts[min(int((value - low) / width), BINS - 1) if width else 0] += 1
    return {"hist": counts, "bin_edges": [*(low + width * number for number in range(len(counts))), high]}
