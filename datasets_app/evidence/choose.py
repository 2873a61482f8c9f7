"""Selects the deciding run of a sample on one device, and measures how far the runs there differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from datasets_app.models import Verification

STRICTNESS = {"quick": 1, "standard": 2, "thorough": 3}  # any other profile ranks below these


def deciding_run(runs: Sequence[Verification]) -> Verification:
    """Return the newest run of the strictest profile in the newest environment.

    A later quick run does not displace a standard one of the same device and versions. Once the sample has been run
    under other versions, runs under the old ones are stale and no longer count, whatever their profile.
    """
    return max(in_newest_environment(runs), key=lambda run: (strictness(run.profile), *moment(run)))


def in_newest_environment(runs: Sequence[Verification]) -> list[Verification]:
    newest = max(runs, key=moment)
    return [run for run in runs if run.environment_id == newest.environment_id]


def strictness(profile: str) -> int:
    return STRICTNESS.get(profile, 0)


def moment(run: Verification) -> tuple[datetime, datetime, Any]:
    """Return a sort key: when the run ended, then when it was requested."""
    assert run.finished_at is not None  # a constraint guarantees it for finished runs
    return run.finished_at, run.created_at, run.pk


@dataclass(frozen=True)
class Spread:
    """The difference between runs of one profile and environment. `low` to `high` covers the intervals of all of
    them.
    """

    disagree: bool = False
    low: float | None = None
    high: float | None = None


def spread(chosen: Verification, runs: Sequence[Verification]) -> Spread:
    """Return the spread of the timed runs with the profile and environment of `chosen`; empty with fewer than two."""
    alike = [
        (run.speedup_low or run.speedup, run.speedup_high or run.speedup)
        for run in runs
        if run.speedup and (run.profile, run.environment_id) == (chosen.profile, chosen.environment_id)
    ]
    if not chosen.speedup or len(alike) < 2:
        return Spread()
    lows, highs = [low for low, _ in alike], [high for _, high in alike]
    return Spread(max(lows) > min(highs), min(lows), max(highs))
