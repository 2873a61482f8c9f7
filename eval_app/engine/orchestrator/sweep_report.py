"""The times at other sizes in a report, from a judge's: without pairs at a low clock, as at the task's own size."""

from __future__ import annotations

from typing import Any

from eval_app.engine.contract import schema
from eval_app.engine.contract.schema import ContractError
from eval_app.engine.contract.sweep import MAX_SIZES, TimedSize
from eval_app.engine.hardware import telemetry
from eval_app.engine.orchestrator import timing_report

_OF_TIMING = {"candidate_ms", "reference_ms", "speedup", "n", "unconfirmed"}


def read(rows: Any, samples: list[telemetry.Sample]) -> list[TimedSize]:
    """Validate a judge's rows. Raises ContractError."""
    if not isinstance(rows, list) or len(rows) > MAX_SIZES or not all(isinstance(row, dict) for row in rows):
        raise ContractError(f"sweep must be a list of at most {MAX_SIZES} objects")
    return [_row(row, samples) for row in rows]


def _row(row: dict[str, Any], samples: list[telemetry.Sample]) -> TimedSize:
    plain = {name: value for name, value in row.items() if name != "timing"}
    if set(plain) & _OF_TIMING:
        raise ContractError("a row of the sweep has figures outside its timing")
    return schema.read(TimedSize, plain | _figures(row.get("timing"), samples), "sweep")


def _figures(timing: Any, samples: list[telemetry.Sample]) -> dict[str, Any]:
    if not isinstance(timing, dict):
        return {}
    read = timing_report.read(timing, samples, {}, None)
    return {
        "candidate_ms": read.candidate.median_ms, "reference_ms": read.baselines["eager"].median_ms,
        "speedup": schema.to_json(read.speedup), "n": read.candidate.n, "unconfirmed": read.unconfirmed,
    }  # fmt: skip
