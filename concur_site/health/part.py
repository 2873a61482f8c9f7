"""The result of one check."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    OK = "ok"
    DEGRADED = "degraded"  # the site serves and stores, but some requested work waits
    FAILED = "failed"  # the site cannot serve or cannot store


@dataclass(frozen=True)
class Part:
    """The result of one check. `sentence` and `numbers` are public; `detail` (paths, addresses, errors) is for
    administrators.
    """

    status: Status = Status.OK
    sentence: str = ""
    numbers: dict[str, Any] = field(default_factory=dict)
    detail: str = ""

    def as_json(self, with_detail: bool) -> dict[str, Any]:
        detail = {"detail": self.detail} if with_detail and self.detail else {}
        return {"status": self.status, "says": self.sentence or "ok", **self.numbers, **detail}
