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
    """The difference between runs of one profile and environment: they disagree if their outcomes differ, or if the
    intervals of their speedups do not overlap. `low` to `high` covers all these intervals.
    """

    disagree: bool = False
    low: float | None = None
    high: float | None = None


def spread(chosen: Verification, runs: Sequence[Verification]) -> Spread:
    """Return the spread of the runs with the profile and environment of `chosen`; fewer than two times have no
    interval.
    """
    alike = [
        run for run in runs if (run.profile, run.environment_id) == (chosen.profile, chosen.environment_id)
    ]
    differ = any(run.outcome != chosen.outcome for run in alike)
    times = [
        (run.speedup_low or run.speedup, run.speedup_high or run.speedup) for run in alike if run.speedup
    ]
    if not chosen.speedup or len(times) < 2:
        return Spread(differ)
    lows, highs = [low for low, _ in times], [high for _, high in times]
    return Spread(differ or max(lows) > min(highs), min(lows), max(highs))
