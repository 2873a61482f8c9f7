# ruff: noqa: E402  Django must be set up before its models are imported
"""Asks for pages of the list until it is told to stop, and writes down how long they took beside a writer."""

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

from datasets_app.models import Sample

PAUSE_SECONDS = 0.1


def main() -> None:
    answer, stop = Path(sys.argv[1]), Path(sys.argv[2])
    waited = []
    while not stop.exists():
        begun = time.perf_counter()
        list(Sample.objects.for_list()[:50])
        waited.append((time.perf_counter() - begun) * 1000)
        time.sleep(PAUSE_SECONDS)
    seen = {
        "pages": len(waited),
        "p50_ms": round(statistics.median(waited), 1),
        "p95_ms": round(statistics.quantiles(waited, n=20)[18], 1),
        "longest_ms": round(max(waited), 1),
    }
    answer.write_text(json.dumps(seen))


if __name__ == "__main__":
    main()
