"""Summarise a batch: outcomes, claims against measurements, seconds by stage.

    python -m benchmarks engine_batch REPORTS.jsonl -o benchmarks/results/NAME.json [--claims ROWS.jsonl] [--wall-s S]

`--claims` is CUDA-L1's own JSON Lines file: its `score_default` is the speedup that it claims over eager.
"""

import argparse
import json
import statistics
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from benchmarks._results import write_figures


def read_lines(path: Path) -> list[dict]:
    """Return all objects of a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def claims_by_id(path: Path | None) -> dict[str, float]:
    """Return claimed speedups by job id from rows of /api/v1/samples/ or CUDA-L1 ("LEVEL-TASK" ids)."""
    rows = read_lines(path) if path else []
    claims = {
        row.get("id") or f"{row['level_id']}-{row['task_id']}": row.get(
            "claimed_speedup", row.get("score_default")
        )
        for row in rows
    }
    return {name: float(claim) for name, claim in claims.items() if isinstance(claim, int | float)}


def stage_seconds(reports: list[dict]) -> dict[str, dict[str, float]]:
    """Return, per stage, the sum, median and maximum over the reports that have it."""
    stages: dict[str, list[float]] = {}
    for report in reports:
        for stage, seconds in (report.get("seconds") or {}).items():
            stages.setdefault(stage, []).append(seconds)
    return {
        stage: {
            "jobs": len(values), "sum_s": round(sum(values), 2), "median_s": round(statistics.median(values), 3),
            "max_s": round(max(values), 2),
        }
        for stage, values in sorted(stages.items())
    }  # fmt: skip


def claimed_against_measured(reports: list[dict], claims: dict[str, float]) -> list[dict]:
    """Return one row for each measured job with a claim."""
    rows = []
    for report in reports:
        timing = report.get("timing")
        if timing and report["id"] in claims:
            speedup = timing["speedup"]
            rows.append(
                {
                    "id": report["id"], "outcome": report["outcome"], "claimed": claims[report["id"]],
                    "measured": round(speedup["median"], 3), "low": round(speedup["low"], 3),
                    "high": round(speedup["high"], 3),
                }
            )  # fmt: skip
    return sorted(rows, key=lambda row: row["claimed"], reverse=True)


def summary(reports: list[dict], claims: dict[str, float], wall_s: float | None) -> dict:
    """Return the figures of one batch."""
    compared = claimed_against_measured(reports, claims)
    first = next((r for r in reports if r.get("versions")), {})
    return {
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "device": {k: v for k, v in (first.get("device") or {}).items() if k != "uuid"},
        "versions": first.get("versions"),
        "profile": (first.get("profile") or {}).get("name"),
        "jobs": len(reports), "wall_s": wall_s,
        "outcomes": dict(Counter(report["outcome"] for report in reports).most_common()),
        "findings": dict(Counter(f["code"] for report in reports for f in report.get("findings", [])).most_common()),
        "builds": dict(Counter((r.get("build") or {}).get("tier", "none") for r in reports).most_common()),
        "seconds": stage_seconds(reports),
        "median_claimed": statistics.median(r["claimed"] for r in compared) if compared else None,
        "median_measured": statistics.median(r["measured"] for r in compared) if compared else None,
        "claimed_against_measured": compared,
        "rejected": [
            {"id": r["id"], "outcome": r["outcome"], "detail": r.get("detail", "").partition("\n")[0][:300]}
            for r in reports if r["outcome"] != "passed"
        ],
    }  # fmt: skip


def main() -> None:
    """Read the reports, summarise them, write the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("reports", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--claims", type=Path)
    parser.add_argument("--wall-s", type=float)
    options = parser.parse_args()
    result = summary(read_lines(options.reports), claims_by_id(options.claims), options.wall_s)
    write_figures(result, options.output)
    print(json.dumps(result["outcomes"]))


if __name__ == "__main__":
    main()
