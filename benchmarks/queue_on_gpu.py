"""Verifies the demo pack's CUDA and Triton samples through the queue, and checks that every report is booked.

    python -m benchmarks queue_on_gpu [--profile quick] [--seconds 480] [-o RESULT.json]
    python -m benchmarks queue_on_gpu --device cpu --limit 4

`manage.py up` starts the whole site on an empty data folder: SQLite, its own broker, the site worker, and a Celery
worker with this machine's devices. `manage.py verify` requests the samples; with `--device cpu` those in C++. A sample
is booked once a worker of the site has decided about it on this machine's device: reports that come with the demo pack
do not count. Writes benchmarks/results/queue_on_gpu_DEVICE_DATE.json. The exit status is 1 if a sample is not
booked within --seconds, 2 if this machine has no GPU.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks._results import write_figures
from benchmarks._server import running_site

ROOT = Path(__file__).resolve().parent.parent

LANGUAGES = {"cuda": ("cuda", "triton"), "cpu": ("cpp",)}
POLL_SECONDS, LOG_LINES = 2.0, 30
NO_GPU = "This machine has no NVIDIA GPU: --device cpu verifies the C++ samples in its place."


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=list(LANGUAGES), default="cuda")
    parser.add_argument("--profile", default="quick")
    parser.add_argument("--limit", type=int, help="at most this many samples")
    parser.add_argument("--seconds", type=float, default=480, help="from the request to the last report")
    parser.add_argument("-o", "--output", type=Path)
    return parser.parse_args()


def open_site() -> None:
    """Set up Django on the data folder of the running site, which CONCUR_DATA_DIR names."""
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "concur_site.settings"
    django.setup()


def samples(options: argparse.Namespace) -> dict[str, str]:
    """Return the names of the requested samples by id."""
    from datasets_app.models import Sample

    rows = Sample.objects.filter(language__in=LANGUAGES[options.device]).order_by("external_id")
    return {str(pk): name for pk, name in rows.values_list("pk", "external_id")[: options.limit]}


def request(ids: list[str], options: argparse.Namespace) -> None:
    """Request verifications by the site's command, as a person would."""
    named = [word for pk in ids for word in ("--sample", pk)]
    how = ("--device", options.device, "--profile", options.profile)
    command = [sys.executable, "manage.py", "verify", *named, *how]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def follow(count: int, seconds: float) -> float:
    """Wait until all requested verifications are finished, at most `seconds`; return how long it took."""
    from datasets_app.models import Verification

    began, left = time.monotonic(), count
    while left and time.monotonic() - began < seconds:
        time.sleep(POLL_SECONDS)
        if (now := Verification.objects.unfinished().count()) != left:
            left = now
            print(f"{time.monotonic() - began:6.0f} s  {count - left} of {count} finished", flush=True)
    return time.monotonic() - began


def booked(names: dict[str, str], kind: str) -> list[dict[str, Any]]:
    """Return a row per requested sample: its outcome, and whether it is decided on a device of this kind."""
    from datasets_app.models import Verification

    own = Verification.objects.own().select_related("environment")
    of_sample = {str(row.sample_id): row for row in own}
    return [row_of(name, of_sample.get(pk), kind) for pk, name in names.items()]


def row_of(name: str, row: Any, kind: str) -> dict[str, Any]:
    if row is None:
        return {"sample": name, "outcome": "", "decided": False}
    here = row.environment is not None and row.environment.kind == kind
    return {
        "sample": name,
        "outcome": row.status,
        "decided": row.deciding and here,
        "device": row.device,
        "worker": row.worker,
        "attempt": row.attempt,
        "speedup": round(row.speedup, 3) if row.speedup else None,
        "time_confirmed": row.time_confirmed,
        "queued_to_booked_s": round((row.finished_at - row.created_at).total_seconds(), 1)
        if row.finished_at
        else None,
    } | ({} if row.deciding else {"detail": (row.detail or row.error)[:300]})


def about_device() -> dict[str, Any]:
    """Return device and versions as the first report has them."""
    from datasets_app.models import VerificationReport

    own = VerificationReport.objects.exclude(verification__worker="").order_by("verification__finished_at")
    report = own.values_list("report", flat=True).first() or {}
    device = {name: value for name, value in (report.get("device") or {}).items() if name != "uuid"}
    return {"device": device, "versions": report.get("versions", {})}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    began = datetime.now(UTC).isoformat(timespec="seconds")
    started = time.monotonic()
    with running_site(demo=True):
        open_site()
        names, up_s = samples(options), time.monotonic() - started
        request(list(names), options)
        wall_s = follow(len(names), options.seconds)
        rows = booked(names, options.device)
        about = about_device()
    return {
        "began_at": began,
        **about,
        "cores": len(os.sched_getaffinity(0)),
        "profile": options.profile,
        "database": "sqlite",
        "site_up_s": round(up_s, 1),
        "wall_s": round(wall_s, 1),
        "requested": len(rows),
        "decided": sum(row["decided"] for row in rows),
        "outcomes": dict(Counter(row["outcome"] for row in rows).most_common()),
        "not_decided": [row["sample"] for row in rows if not row["decided"]],
        "rows": rows,
    }


def name_of(result: dict[str, Any], kind: str) -> str:
    """Return the name of the result's file: queue_on_gpu_h100_2026-11-25."""
    words = result["device"].get("name", "").lower().split()
    device = next((word for word in words if word not in ("nvidia", "geforce", "tesla")), kind)
    return f"queue_on_gpu_{device if kind == 'cuda' else kind}_{result['began_at'][:10]}"


def has_gpu() -> bool:
    from eval_app.host.bench import gpu_names

    return bool(gpu_names())


def main() -> int:
    options = arguments()
    if options.device == "cuda" and not has_gpu():
        print(NO_GPU, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="concur-queue-") as folder:
        for name in ("DATABASE_URL", "REDIS_URL"):  # the site makes both of its own
            os.environ.pop(name, None)
        os.environ |= {"CONCUR_DATA_DIR": folder, "CONCUR_DEMO_VERIFY": "0"}
        result = measure(options)
        if result["not_decided"]:
            log = Path(folder, "logs", "worker.log").read_text().splitlines()
            print("\n".join(log[-LOG_LINES:]), file=sys.stderr)
    print(json.dumps({name: value for name, value in result.items() if name != "rows"}, indent=1))
    write_figures(result, options.output or name_of(result, options.device))
    return 1 if result["not_decided"] else 0


if __name__ == "__main__":
    sys.exit(main())
