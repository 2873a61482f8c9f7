"""The canonical form of a release, over which its content_sha256 is taken.

One line a row, in the order of positions, each ended by a line feed: a JSON object with the keys `id` (the sample's),
`reason`, `snapshot` and `split`, keys sorted, no spaces, UTF-8 as it is, numbers that may have a fraction written as
Python's repr of a float. The hash is SHA-256 over these lines.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from datasets_app.export.columns import FROZEN
from datasets_app.export.types import normal

# A database may give 2 back for 2.0.
FLOATS = {column.name: column.type for column in FROZEN if "float64" in column.type}


def line(sample_id: object, split: str, reason: str, snapshot: dict[str, Any]) -> bytes:
    floats = {name: normal(type, snapshot[name]) for name, type in FLOATS.items() if name in snapshot}
    record = {"id": str(sample_id), "reason": reason, "snapshot": {**snapshot, **floats}, "split": split}
    return json.dumps(record, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class ContentHash:
    """Add rows, in the order of their positions."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()

    def add(self, sample_id: object, split: str, reason: str, snapshot: dict[str, Any]) -> None:
        self.sha256.update(line(sample_id, split, reason, snapshot))

    def hexdigest(self) -> str:
        return self.sha256.hexdigest()
