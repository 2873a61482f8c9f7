"""Reports as the engine writes them, for tests that need one."""

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

from eval_app.engine import ENGINE_VERSION, PROFILES
from eval_app.engine.contract import schema

DEVICE = {"kind": "cuda", "name": "NVIDIA H200"}
VERSIONS = {"engine": ENGINE_VERSION, "torch": "2.13.0", "cuda": "13.0"}


def spread(median_ms: float) -> dict[str, Any]:
    samples = [median_ms * factor for factor in (0.9, 1.0, 1.1)]
    return {
        "median_ms": median_ms,
        "p10_ms": samples[0],
        "p90_ms": samples[2],
        "n": 3,
        "samples_ms": samples,
    }


def timing(kernel_ms: float = 0.5, eager_ms: float = 1.0) -> dict[str, Any]:
    ratio = eager_ms / kernel_ms
    return {
        "candidate": spread(kernel_ms),
        "baselines": {"eager": spread(eager_ms)},
        "speedup": {"median": ratio, "low": ratio * 0.98, "high": ratio * 1.02},
        "method": "Interleaved pairs.",
        "wall_ms": kernel_ms * 1.2,
        "floor_ms": kernel_ms / 2,
        "device_state": {"sm_clock_mhz": 1980},
    }


def correctness(mismatches: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {
        "compared": 9,
        "trials": 5,
        "families": ["normal"],
        "skipped": {},
        "max_abs_error": 1e-6,
        "max_rel_error": None,
        "tolerance": {"float32": 1e-4},
        "mismatches": mismatches or [],
        "mismatch_share": 0.25 if mismatches else 0.0,
        "weights": "none",
        "kernelbench_allclose": not mismatches,
    }


def report(sample_id: object, outcome: str = "wrong_value", **fields: Any) -> dict[str, Any]:
    return {
        "id": str(sample_id),
        "outcome": outcome,
        "detail": f"it ended as {outcome}",
        "findings": [],
        "sandbox": "bwrap",
        "device": DEVICE,
        "versions": VERSIONS,
        "seconds": {"load": 1.0, "total": 3.0},
        "started_at": "2026-05-01T10:00:00+00:00",
        **fields,
    }


def passed(sample_id: object, **fields: Any) -> dict[str, Any]:
    return report(sample_id, "passed", correctness=correctness(), timing=timing(), **fields)


def cheated(sample_id: object) -> dict[str, Any]:
    finding = {"code": "output_replayed", "severity": "reject", "detail": "trial 4 got trial 2's answer"}
    return report(sample_id, "cheated", findings=[finding])


def broken_promise(sample_id: object) -> dict[str, Any]:
    finding = {"code": "output_reused", "severity": "reject", "detail": "its memory is given out twice"}
    told = {"correct": True, "speedup": 3.5}
    return report(
        sample_id, "broken_promise", findings=[finding], correctness=correctness(), kernelbench=told
    )


def wrong(sample_id: object) -> dict[str, Any]:
    mismatch = {"output": "output", "index": [3, 17], "got": "0.0", "expected": "0.5", "trial": "normal 2"}
    return report(sample_id, "wrong_value", correctness=correctness([mismatch]))


@cache
def _full() -> dict[str, Any]:
    return json.loads((Path(__file__).parent / "full_report.json").read_text())


def full(sample_id: object, **fields: Any) -> dict[str, Any]:
    """Return a pass on a GPU with every field that a report can have."""
    profile = schema.to_json(PROFILES["thorough"])
    return {**copy.deepcopy(_full()), "id": str(sample_id), "profile": profile, **fields}


def all_wrong(sample_id: object) -> dict[str, Any]:
    """Return a wrong value with a map and a histogram of its errors."""
    data = full(sample_id, outcome="wrong_value", timing=None, detail="output[3, 17] was 0.0, not 0.5")
    where = [0] * 64
    where[9], where[10] = 3, 12
    data["correctness"] |= {
        "mismatch_share": 0.125,
        "mismatches": wrong(sample_id)["correctness"]["mismatches"],
        "mismatch_map": {"output": "output", "shape": [4, 64, 64], "rows": 8, "columns": 8, "counts": where},
    }
    data["correctness"]["error_histogram"]["counts"][-2:] = [12, 3]
    return data
