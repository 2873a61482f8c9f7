"""Updates evidence rows and the headline columns of samples from the stored verifications."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import transaction

from datasets_app.evidence import devices
from datasets_app.evidence.choose import deciding_run, moment, spread
from datasets_app.models import DECIDING, Evidence, Sample, Verification

Runs = dict[str, list[Verification]]  # device to the deciding runs there
Key = tuple[UUID, str]  # sample and device
COPIED = (
    *("outcome", "speedup", "speedup_low", "speedup_high", "median_ms"),
    *("time_confirmed", "custom_kernel_share", "profile", "finished_at"),
)
DERIVED = (
    "verification_id",
    "environment_id",
    "kind",
    "runs_disagree",
    "between_low",
    "between_high",
    "is_headline",
)
COLUMNS = (*COPIED, *DERIVED)
HEADLINE = ("outcome", "measured_speedup", "device", "verified_at", "environment")
READ = (*COPIED, "sample_id", "environment_id", "device", "wanted_device", "created_at")


def refresh(sample_ids: Iterable[UUID]) -> int:
    """Update the evidence and the headline of these samples; return how many samples changed.

    The samples' rows are locked before the verifications are read: if two reports for one sample are stored at once,
    the one that gets the lock later sees the other. The result does not depend on the order in which reports arrive.
    """
    with transaction.atomic():
        rows = Sample.objects.select_for_update(no_key=True).filter(pk__in=list(sample_ids)).order_by("pk")
        samples = {sample.pk: sample for sample in rows.only("pk", *HEADLINE)}
        decided, undecided = runs_of(samples)
        places = devices.places(kinds(decided))
        changed = store_evidence(samples, expected(decided, places))
        for pk, sample in samples.items():
            fields = headline(decided.get(pk, {}), undecided.get(pk, []), places)
            if any(getattr(sample, name) != value for name, value in fields.items()):
                Sample.objects.filter(pk=pk).update(**fields)
                changed.add(pk)
    return len(changed)


def runs_of(samples: Iterable[UUID]) -> tuple[dict[UUID, Runs], dict[UUID, list[Verification]]]:
    """Return the finished runs of the samples, in one query: the deciding ones by device, and the others."""
    decided: dict[UUID, Runs] = defaultdict(lambda: defaultdict(list))
    undecided: dict[UUID, list[Verification]] = defaultdict(list)
    for run in Verification.objects.finished().filter(sample__in=list(samples)).order_by().only(*READ):
        if run.outcome in DECIDING and run.device:
            decided[run.of_sample][run.device].append(run)
        else:
            undecided[run.of_sample].append(run)
    return decided, undecided


def kinds(decided: dict[UUID, Runs]) -> dict[str, str]:
    return {
        device: runs[0].wanted_device for by_device in decided.values() for device, runs in by_device.items()
    }


def expected(decided: dict[UUID, Runs], places: dict[str, int]) -> dict[Key, Evidence]:
    """Return the evidence rows that these runs should have."""
    rows = {}
    for sample, by_device in decided.items():
        first = min(by_device, key=places.__getitem__)
        for device, runs in by_device.items():
            rows[sample, device] = evidence_of(device, runs, is_headline=device == first)
    return rows


def evidence_of(device: str, runs: list[Verification], *, is_headline: bool) -> Evidence:
    run = deciding_run(runs)
    between = spread(run, runs)
    return Evidence(
        sample_id=run.of_sample,
        device=device,
        kind=run.wanted_device,
        verification_id=run.pk,
        environment_id=run.environment_id,
        runs_disagree=between.disagree,
        between_low=between.low,
        between_high=between.high,
        is_headline=is_headline,
        **{name: getattr(run, name) for name in COPIED},
    )


def store_evidence(samples: Iterable[UUID], rows: dict[Key, Evidence]) -> set[UUID]:
    """Replace the samples' evidence with these rows; return the samples of rows that changed."""
    stored = {(row.sample_id, row.device): row for row in Evidence.objects.filter(sample__in=list(samples))}
    gone = {key: row for key, row in stored.items() if key not in rows}
    changed = {key: row for key, row in rows.items() if key not in stored or differ(row, stored[key])}
    if gone:
        Evidence.objects.filter(pk__in=[row.pk for row in gone.values()]).delete()
    if losing := [stored[key].pk for key in changed if key in stored and stored[key].is_headline]:
        # A sample has one headline at a time.
        Evidence.objects.filter(pk__in=losing).update(is_headline=False)
    Evidence.objects.bulk_create(
        changed.values(),
        update_conflicts=True,
        unique_fields=["sample", "device"],
        update_fields=[name.removesuffix("_id") for name in COLUMNS],
    )
    return {sample for sample, _ in (*gone, *changed)}


def differ(evidence: Evidence, other: Evidence) -> bool:
    return any(getattr(evidence, name) != getattr(other, name) for name in COLUMNS)


def headline(by_device: Runs, undecided: list[Verification], places: dict[str, int]) -> dict[str, Any]:
    """Return the sample's columns: the evidence on the first device, otherwise the newest run that decided nothing."""
    if by_device:
        run = deciding_run(by_device[min(by_device, key=places.__getitem__)])
    elif undecided:
        run = max(undecided, key=moment)
    else:
        return dict(zip(HEADLINE, ("", None, "", None, ""), strict=True))
    values = (run.outcome, run.speedup, run.device, run.finished_at, run.environment_id or "")
    return dict(zip(HEADLINE, values, strict=True))
