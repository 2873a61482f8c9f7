"""The kinds of background jobs: their functions, how many run at once, and their priority."""

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
    run: Callable[[Any], Any]  # runs the job of a row by primary key; does nothing if it is not queued
    slots: int = 1  # processes at once
    niceness: int = 5  # pages first, then requested jobs, then derived data


KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    KINDS[kind.name] = kind


def load() -> None:
    """Import the `tasks` module of every application, which registers its kinds."""
    autodiscover_modules("tasks")
