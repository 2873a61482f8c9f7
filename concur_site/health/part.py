"""What one check says."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    OK = "ok"
    DEGRADED = "degraded"  # the site serves and stores; something that people ask for waits
    FAILED = "failed"  # the site cannot serve, or cannot store


@dataclass(frozen=True)
class Part:
    """`sentence` and `numbers` are for everybody, `detail` (paths, addresses, errors) for administrators."""

    status: Status = Status.OK
    sentence: str = ""
    numbers: dict[str, Any] = field(default_factory=dict)
    detail: str = ""

    def as_json(self, with_detail: bool) -> dict[str, Any]:
        detail = {"detail": self.detail} if with_detail and self.detail else {}
        return {"status": self.status, "says": self.sentence or "ok", **self.numbers, **detail}
