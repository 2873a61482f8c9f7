"""Measures recall on cheats by class, and false rejections: every test kernel, engine only, on one device.

    python -m benchmarks detection [-o benchmarks/results/NAME.json] [--device cuda:0] [--profile quick] [--seconds 540]
        [--repeat N] [--group cheats] [--only NAME ...] [--reports FILE.jsonl] [--resume]

Needs torch, numpy and ninja, no Django and no pytest. Each verdict is compared with the one that the kernel's
file states. Broken kernels, cheats and honest ones alternate on the same lane, so that one that affects its
successor is seen as a false rejection. `--resume` skips the rows in FILE.jsonl; after `--seconds` no new job
is started. The exit status is 1 if any verdict differs from the one stated.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain, zip_longest
from pathlib import Path

from benchmarks._results import write_figures
from eval_app.engine import Engine, Job, Report
from eval_app.engine.cli import CACHE_DIR
from tests.engine.kernels.catalogue import GROUPS, TestKernel, load_all

ROOT = Path(__file__).resolve().parent.parent


def chosen(kind: str, options: argparse.Namespace) -> dict[str, TestKernel]:
    """Return the kernels to run by job id, compiled ones first so that builds overlap with other runs."""
    wanted = [
        kernel
        for kernel in load_all()
        if kernel.runs_on(kind)
        and kernel.group in (options.group or GROUPS)
        and (not options.only or kernel.name in options.only)
        and (options.compiled or not kernel.is_compiled)
    ]
    groups = [
        [k for k in wanted if k.group == g and k.is_compiled is c] for c in (True, False) for g in GROUPS
    ]
    turns = chain(*(zip_longest(*groups[at : at + len(GROUPS)]) for at in (0, len(GROUPS))))
    ordered = [kernel for kernel in chain.from_iterable(turns) if kernel is not None]
    return {f"{k.group}/{k.name}#{n}": k for n in range(options.repeat) for k in ordered}


def jobs(kernels: dict[str, TestKernel], profile: str, done: set[str], deadline: float) -> Iterator[Job]:
    """Yield the remaining jobs, until the deadline."""
    for name, kernel in kernels.items():
        if time.monotonic() > deadline:
            return
        if name not in done:
            yield Job.from_dict(kernel.job(profile, name))


def row_of(report: Report, kernel: TestKernel) -> dict:
    """Return one line of the result."""
    codes = sorted({finding.code for finding in report.findings})
    timing = report.timing
    speedup = round(timing.speedup.median, 3) if timing else None
    faults = kernel.faults(report.outcome, set(codes), speedup)
    return {
        "id": report.id, "group": kernel.group, "class": kernel.cheat_class, "outcome": str(report.outcome),
        "as_stated": not faults, "faults": faults, "findings": codes, "speedup": speedup,
        "median_ms": timing.candidate.median_ms if timing else None,
        "unconfirmed": timing.unconfirmed if timing else "",
        "seconds": round(report.seconds.get("total", 0.0), 2),
        "detail": "" if not faults else report.detail[:600],
    }  # fmt: skip


def kept_rows(path: Path | None, resume: bool) -> list[dict]:
    """Return the rows of an earlier run, complete lines only."""
    if not (path and resume and path.exists()):
        return []
    lines = path.read_text("utf-8").split("\n")[:-1]
    return [json.loads(line) for line in lines]


def share(rows: list[dict]) -> dict:
    """Return how many of the rows had the stated verdict."""
    right = sum(row["as_stated"] for row in rows)
    return {"as_stated": right, "of": len(rows), "share": round(right / len(rows), 4) if rows else None}


def grouped(rows: list[dict], key: str) -> dict[str, dict]:
    """Return `share` for each value of one column."""
    groups = defaultdict(list)
    for row in rows:
        groups[row[key]].append(row)
    return {name: share(groups[name]) for name in sorted(groups, key=class_order)}


def class_order(name: str) -> list:
    """Sort key that puts B.2.5 before B.2.21."""
    return [int(part) if part.isdigit() else 0 for part in name.split(".")] + [name]


def summary(rows: list[dict], wanted: int, described: dict, about: dict) -> dict:
    """Return the figures of one run; `about` holds its description from the start, and its seconds."""
    cheats = [row for row in rows if row["group"] == "cheats"]
    honest = [row for row in rows if row["group"] == "honest"]
    device = {name: value for name, value in described["device"].items() if name != "uuid"}
    return {
        **about,
        "device": device, "versions": described["versions"], "sandbox": described["sandbox"],
        "cores": len(os.sched_getaffinity(0)),
        "runs": len(rows), "not_reached": wanted - len(rows),
        "recall": share(cheats), "false_refusals": sum(not row["as_stated"] for row in honest),
        "by_group": grouped(rows, "group"), "recall_by_class": grouped(cheats, "class"),
        "not_as_stated": [row for row in rows if not row["as_stated"]],
        "rows": [{name: row[name] for name in row if name != "detail"} for row in sorted(rows, key=lambda r: r["id"])],
    }  # fmt: skip


def revision() -> str:
    """Return the commit that ran, if it can be determined."""
    command = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=10).stdout.strip()
    except OSError:
        return ""


def table(result: dict) -> str:
    """Format the result as a table."""
    lines = [f"{'class':<10}{'as stated':>10}{'of':>6}"]
    lines += [f"{n:<10}{s['as_stated']:>10}{s['of']:>6}" for n, s in result["recall_by_class"].items()]
    lines += [f"{n:<10}{s['as_stated']:>10}{s['of']:>6}" for n, s in result["by_group"].items()]
    lines += [
        f"NOT AS STATED {r['id']}: {'; '.join(r['faults'])}: {r['detail'][:300]}"
        for r in result["not_as_stated"]
    ]
    lines.append(
        f"recall {result['recall']['share']}, false refusals {result['false_refusals']}, {result['runs']} runs in "
        f"{result['seconds']} s, {result['not_reached']} not reached"
    )
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--profile", default="quick")
    parser.add_argument("--seconds", type=float, default=540.0, help="after this nothing new is begun")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--group", action="append", choices=GROUPS)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--no-compiled", dest="compiled", action="store_false")
    parser.add_argument("--reports", type=Path, help="where each row goes as soon as it is known")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--build-jobs", type=int)
    parser.add_argument("--cache-dir", default=CACHE_DIR)
    parser.add_argument("--sandbox", choices=("bwrap", "none"), default="bwrap")
    return parser.parse_args()


def run(options: argparse.Namespace) -> dict:
    """Run all selected kernels, one row at a time."""
    rows, started = kept_rows(options.reports, options.resume), time.monotonic()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    about = {"began_at": now, "revision": revision(), "profile": options.profile}
    with Engine(options.device, options.cache_dir, options.build_jobs, options.sandbox) as engine:
        kernels = chosen(engine.device.kind, options)
        rows = [row for row in rows if row["id"] in kernels]
        feed = jobs(kernels, options.profile, {row["id"] for row in rows}, started + options.seconds)
        for report in engine.verify_many(feed):
            rows.append(row_of(report, kernels[report.id]))
            tell(rows[-1], len(rows), len(kernels), options.reports, fresh=len(rows) == 1)
        about["seconds"] = round(time.monotonic() - started, 1)
        return summary(rows, len(kernels), engine.describe(), about)


def tell(row: dict, number: int, of: int, path: Path | None, *, fresh: bool) -> None:
    """Append a row to the file, and print it."""
    if path:
        with path.open("w" if fresh else "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    mark = "  " if row["as_stated"] else "!!"
    print(
        f"{mark} [{number}/{of}] {row['id']} {row['outcome']} {row['seconds']}s {' '.join(row['faults'])}",
        flush=True,
    )


def main() -> int:
    """Run the kernels, print the table, write the result."""
    options = arguments()
    result = run(options)
    print(table(result))
    if options.output:
        write_figures(result, options.output)
    return 1 if result["not_as_stated"] else 0


if __name__ == "__main__":
    sys.exit(main())
