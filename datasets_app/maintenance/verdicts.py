"""Decides the samples with several reviews again, after a change of the policy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, QuerySet

from datasets_app.models import JobState, MaintenanceKind, MaintenanceRun, Review, Sample
from datasets_app.models.queue import policies_of
from datasets_app.models.verdict_policy import VerdictPolicy, current_policy, decide

BATCH = 500


def applied_policy() -> str:
    """Return the policy that all samples were last decided by: that of the newest complete run."""
    runs = MaintenanceRun.objects.filter(kind=MaintenanceKind.VERDICTS, state=JobState.DONE)
    return runs.values_list("detail", flat=True).first() or VerdictPolicy.NEWEST


def policy_name() -> str:
    return str(current_policy())


def waiting() -> QuerySet[Sample]:
    """Return the samples that the current policy may decide otherwise: those with several reviewers, if it is new."""
    if applied_policy() == current_policy():
        return Sample.objects.none()
    return Sample.objects.filter(pk__in=shared().values("sample")).order_by()


def shared() -> QuerySet[Any, Any]:
    counted = (
        Review.objects.votes().order_by().values("sample").annotate(voters=Count("reviewer", distinct=True))
    )
    return counted.filter(voters__gte=2)


def batches() -> Iterator[list[UUID]]:
    """Yield the ids of samples with several reviewers, by keyset."""
    rows = shared().order_by("sample").values_list("sample", flat=True)
    last = None
    while ids := list((rows if last is None else rows.filter(sample__gt=last))[:BATCH]):
        yield ids
        last = ids[-1]


def decide_again(ids: list[UUID]) -> int:
    """Store what the policies of their queues, or the site's, decide for these samples. Return how many."""
    with transaction.atomic():
        samples = list(Sample.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk"))
        reviews = defaultdict(list)
        for review in Review.objects.standing().filter(sample__in=ids):
            reviews[review.sample_id].append(review)
        policies, of_site = policies_of(ids), current_policy()
        for sample in samples:
            decision = decide(reviews[sample.pk], policies.get(sample.pk, of_site))
            if (decision.verdict, decision.agreement) != (sample.verdict, sample.agreement):
                sample.record_verdict(**decision.columns())
    return len(samples)
