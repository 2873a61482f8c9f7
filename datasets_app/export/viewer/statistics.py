"""Statistics of a split's columns, from the frozen facts: the release never changes, so that they are kept."""

from __future__ import annotations

import statistics
from collections import Counter
from functools import lru_cache
from typing import Any

from datasets_app.export.columns import FROZEN, Column
from datasets_app.export.types import is_list
from datasets_app.export.viewer.rows import first_position
from datasets_app.models import Release, ReleaseRow

MOST_ROWS = 20_000  # that are read; beyond that the statistics are of the first ones, and say so
BINS = 10
MOST_LABELS = 30  # different texts; a column with more is counted only
KEPT = 32  # splits whose statistics this process keeps
CHUNK_ROWS = 1000


def of_split(release: Release, split: str) -> dict[str, Any]:
    """Return the statistics of each column of a split. Raises ViewerError for a split without rows."""
    first_position(release, split)
    return computed(release.pk, release.content_sha256, split)


@lru_cache(KEPT)
def computed(release_id: int, content_sha256: str, split: str) -> dict[str, Any]:
    """Return the statistics; the hash is a part of the key, since a number may be given again."""
    rows = ReleaseRow.objects.filter(release_id=release_id, split=split).order_by("position")
    columns: dict[str, list[Any]] = {column.name: [] for column in FROZEN}
    seen = 0
    for snapshot in rows.values_list("snapshot", flat=True)[: MOST_ROWS + 1].iterator(CHUNK_ROWS):
        seen += 1
        if seen > MOST_ROWS:
            break
        for name, values in columns.items():
            values.append(snapshot.get(name))
    return {
        "num_examples": min(seen, MOST_ROWS),
        "statistics": [of_column(column, columns[column.name]) for column in FROZEN],
        "partial": seen > MOST_ROWS,
    }


def of_column(column: Column, values: list[Any]) -> dict[str, Any]:
    present = [value for value in values if value is not None]
    empty = len(values) - len(present)
    facts: dict[str, Any] = {
        "nan_count": empty,
        "nan_proportion": round(empty / len(values), 5) if values else 0.0,
    }
    if is_list(column.type):
        kind, more = "list", of_numbers([len(value) for value in present])
    elif column.type in ("float64", "int64"):
        kind, more = column.type.rstrip("64"), of_numbers(present)
    elif column.type == "bool":
        kind, more = "bool", {"frequencies": {str(value): present.count(value) for value in (True, False)}}
    elif is_list(column.type):
        kind, more = "list", of_numbers([len(value) for value in present])
    else:
        kind, more = of_texts(present)
    return {"column_name": column.name, "column_type": kind, "column_statistics": facts | more}


def of_numbers(values: list[float]) -> dict[str, Any]:
    if not values:
        return dict.fromkeys(("min", "max", "mean", "median", "std", "histogram"))
    low, high = min(values), max(values)
    width = (high - low) / BINS
    counts = [0] * (BINS if width else 1)
    for value in values:
        counts[min(int((value - low) / width), BINS - 1) if width else 0] += 1
    edges = [low + width * number for number in range(len(counts))] + [high]
    return {
        "min": low,
        "max": high,
        "mean": statistics.fmean(values),
        "median": statistics.median(values),
        "std": statistics.stdev(values) if len(values) > 1 else 0.0,
        "histogram": {"hist": counts, "bin_edges": edges},
    }


def of_texts(values: list[str]) -> tuple[str, dict[str, Any]]:
    counts = Counter(values)
    facts: dict[str, Any] = {"n_unique": len(counts)}
    if len(counts) <= MOST_LABELS:
        return "string_label", facts | {"frequencies": dict(counts.most_common())}
    return "string_text", facts
