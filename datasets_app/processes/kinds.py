"""The kinds of background jobs: what runs them, how many at once, and with which priority."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.module_loading import autodiscover_modules

from datasets_app.models import Job


@dataclass(frozen=True)
class Kind:
    name: str
    model: type[Job]
    run: Callable[[Any], Any]  # does the job of a row by its primary key; nothing where the row does not wait
    slots: int = 1  # processes at once
    niceness: int = 5  # pages come first, then what somebody waits for, then what is derived from the rows


KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    KINDS[kind.name] = kind


def load() -> None:
    """Import the `tasks` module of every application, which registers its kinds."""
    autodiscover_modules("tasks")
