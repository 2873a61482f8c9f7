"""Runs a round's steps inside the site's own code: `python -m tests.faults.hand prepare | check`."""

# ruff: noqa: E402  (Django is set up before its models are imported)

import hashlib
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")

import django

django.setup()

from django.conf import settings
from django.db.models import Count

from datasets_app.accounts.actor import COMMAND
from datasets_app.accounts.api_tokens import make_token
from datasets_app.curate.rebuild import check as check_release
from datasets_app.db import facet_index
from datasets_app.export.archive import ArchiveFile
from datasets_app.export.files import is_running
from datasets_app.models import (
    BulkAction,
    Export,
    Ingest,
    MaintenanceRun,
    Release,
    Sample,
    Verification,
    VerificationReport,
)
from datasets_app.models.release import ARCHIVE
from tests.factories import make_sample, make_user

SAMPLES = 10


def prepare() -> dict:
    """Create samples whose verification takes up to half a second, and a curator's token."""
    samples = [make_sample(kernel=f"sleep {number / 20}") for number in range(SAMPLES)]
    _, token = make_token(make_user("curator", "rounds"), ["curate", "annotate"], actor=COMMAND)
    return {"samples": [str(sample.pk) for sample in samples], "token": token}


def check() -> list[str]:
    """Return everything that is wrong after a round, one line each."""
    return [*verifications(), *jobs(), *counts(), *releases()]


def verifications() -> list[str]:
    open_rows = Verification.objects.unfinished().count()
    done = set(Verification.objects.finished().values_list("pk", flat=True))
    reports = list(VerificationReport.objects.values_list("verification_id", flat=True))
    faults = [f"{open_rows} verifications are open"] if open_rows else []
    if len(reports) != len(set(reports)) or set(reports) != done:
        faults.append(f"{len(done)} are done and there are {len(reports)} reports")
    reasonless = Verification.objects.filter(state="failed", error="").count()
    return faults + ([f"{reasonless} failed without a reason"] if reasonless else [])


def jobs() -> list[str]:
    faults = []
    for model in (Ingest, Release, Export, BulkAction, MaintenanceRun):
        for row in model.objects.all():
            if not row.is_finished or (row.state == "failed" and not row.error):
                faults.append(f"{model.__name__} {row.pk} is {row.state}: {row.error!r}")
    return faults


def counts() -> list[str]:
    """Compare the facets' counts with those of the rows."""
    reading = facet_index.read()
    faults = []
    for field in ("outcome", "verdict", "language"):
        rows = dict(Sample.objects.order_by().values_list(field).annotate(n=Count("pk")))
        facet = {value: n for value, n in reading.counts(field, reading.everything).items() if n}
        if {value or "": n for value, n in rows.items()} != {value or "": n for value, n in facet.items()}:
            faults.append(f"{field}: {facet} in the facets, {rows} in the rows")
    return faults


def releases() -> list[str]:
    """Compare frozen rows with the release's hash, and files with theirs."""
    done = Release.objects.filter(state="done")
    faults = [f"the hash of {one.name} does not hold" for one in done if not check_release(one).hash_holds]
    for file in Export.objects.filter(state="done").select_related("release"):
        path = Path(settings.EXPORT_DIR) / file.release.name / file.path
        with ArchiveFile(file) if file.format == ARCHIVE else path.open("rb") as stream:
            content = b"".join(iter(lambda: stream.read(2**20), b""))
        if hashlib.sha256(content).hexdigest() != file.sha256:
            faults.append(f"{path.name} of {file.release.name} is not what was stored")
    left = [path.name for path in Path(settings.EXPORT_DIR).rglob(".*-*") if path.is_file()]
    # A writer whose lease ran out on a busy machine may still be at work on the file that another one has written.
    return faults + [f"{name} is half-written" for name in left if not is_running(name.split("-")[-2])]


if __name__ == "__main__":
    print(json.dumps({"prepare": prepare, "check": check}[sys.argv[1]]()))
