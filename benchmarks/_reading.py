# ruff: noqa: E402  Django must be set up before its models are imported
"""Requests list pages, or the write lock, until it is stopped; writes down how long each took."""

import json
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")

import django

django.setup()

from django.db import transaction

from datasets_app.models import Sample, Source

PAUSE_SECONDS = 0.1


def read() -> None:
    list(Sample.objects.for_list()[:50])


def write() -> None:
    """Write as little as possible: the time measured is the wait for the lock."""
    with transaction.atomic():
        Source.objects.filter(name="no such source").update(note="")


def main() -> None:
    ask = {"read": read, "write": write}[sys.argv[1]]
    answer, stop, started = map(Path, sys.argv[2:])
    ask()
    started.touch()
    waited = []
    while not (waited and stop.exists()):
        begun = time.perf_counter()
        ask()
        waited.append((time.perf_counter() - begun) * 1000)
        time.sleep(PAUSE_SECONDS)
    seen = {
        "times": len(waited),
        "p50_ms": round(statistics.median(waited), 1),
        "p95_ms": round(statistics.quantiles([*waited, *waited], n=20, method="inclusive")[18], 1),
        "longest_ms": round(max(waited), 1),
    }
    answer.write_text(json.dumps(seen))


if __name__ == "__main__":
    main()
