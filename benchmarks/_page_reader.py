# ruff: noqa: E402  Django must be set up before its models are imported
"""Requests whole list pages, as a browser does, until it is stopped; writes down how long they took."""

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

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

PAUSE_SECONDS = 0.1
PAGES = ("/browse/", "/browse/?outcome=passed&language=cuda", "/api/v1/samples/")


def main() -> None:
    answer, stop = Path(sys.argv[1]), Path(sys.argv[2])
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    client = Client()
    client.force_login(User.objects.get(username="bench"))
    for page in PAGES:
        client.get(page)
    waited, worked = [], []
    while not stop.exists():
        begun, work_begun = time.perf_counter(), time.process_time()
        assert client.get(PAGES[len(waited) % len(PAGES)]).status_code == 200
        waited.append((time.perf_counter() - begun) * 1000)
        worked.append((time.process_time() - work_begun) * 1000)
        time.sleep(PAUSE_SECONDS)
    seen = {
        "pages": len(waited),
        "p50_ms": round(statistics.median(waited), 1),
        "p95_ms": round(statistics.quantiles(waited, n=20)[18], 1),
        "longest_ms": round(max(waited), 1),
        "cpu_p50_ms": round(statistics.median(worked), 1),  # less distorted by a busy machine
        "cpu_longest_ms": round(max(worked), 1),
    }
    answer.write_text(json.dumps(seen))


if __name__ == "__main__":
    main()
