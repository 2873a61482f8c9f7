"""The newest finished verification as the head of a sample's page says it, asked through a door: this app does not know
the one that keeps them, which registers how to read it when the site starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from datasets_app.models import Sample


@dataclass(frozen=True)
class Evidence:
    """`waiting`: the state of one that is not finished. `findings` have a code, a severity and a detail."""

    device: str = ""
    speedup_low: float | None = None
    speedup_high: float | None = None
    waiting: str = ""
    findings: tuple[Any, ...] = ()


def nothing(sample: Sample) -> Evidence:
    """A site on which nothing verifies."""
    return Evidence()


_read: Callable[[Sample], Evidence] = nothing


def register(read: Callable[[Sample], Evidence]) -> None:
    """Called once by the app that keeps verifications, from its AppConfig.ready()."""
    global _read
    _read = read


def evidence_of(sample: Sample) -> Evidence:
    return _read(sample)
