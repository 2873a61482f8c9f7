"""Queryset of verifications."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models

from datasets_app.models.outcome import DECIDING

if TYPE_CHECKING:
    from datasets_app.models import Verification


class VerificationQuerySet(models.QuerySet["Verification"]):
    def for_list(self) -> VerificationQuerySet:
        """Select the columns that a list shows, in one query, without reports and bodies."""
        return self.select_related("sample__task", "requested_by", "environment")

    def waiting(self) -> VerificationQuerySet:
        return self.filter(state="queued")

    def running(self) -> VerificationQuerySet:
        return self.filter(state="running")

    def unfinished(self) -> VerificationQuerySet:
        return self.filter(state__in=["queued", "running"])

    def finished(self) -> VerificationQuerySet:
        return self.filter(state="done")

    def deciding(self) -> VerificationQuerySet:
        """Return the verifications that decide about their kernel on a device.

        One that reached no device, was cancelled, is not finished, or ended as `infra_error`, `unsupported`
        or
        `invalid_reference` says nothing about the kernel and never displaces one that does.
        """
        return self.finished().filter(outcome__in=DECIDING).exclude(device="")

    def on(self, device: str) -> VerificationQuerySet:
        """Return those that ran on the device of this name."""
        return self.filter(device=device)

    def newest_per_sample_and_device(self) -> VerificationQuerySet:
        """Return those that datasets_app.evidence.choose selected for their sample and device."""
        return self.filter(evidence__isnull=False)

    def headline(self) -> VerificationQuerySet:
        """Return those of the headline evidence: on the reference device, otherwise on the next one."""
        return self.filter(evidence__is_headline=True)

    def lease_expired(self, now: datetime) -> VerificationQuerySet:
        return self.filter(state="running", lease_until__lt=now)

    def sent_before(self, moment: datetime) -> VerificationQuerySet:
        """Return queued rows whose newest message was sent before `moment`, or that were created before it
        and never sent.
        """
        never = models.Q(sent_at=None, created_at__lt=moment)
        return self.waiting().filter(models.Q(sent_at__lt=moment) | never)

    def outcome_counts(self) -> dict[str, int]:
        """Return the number of finished verifications per outcome."""
        counts = self.finished().order_by().values_list("outcome").annotate(n=models.Count("pk"))
        return dict(counts)

    def state_counts(self) -> dict[str, int]:
        """Return the number of rows per state."""
        return dict(self.order_by().values_list("state").annotate(n=models.Count("*")))  # index-only

    def waiting_counts(self) -> dict[str, int]:
        """Return the number of queued rows per kind of device."""
        counts = self.waiting().order_by().values_list("wanted_device").annotate(n=models.Count("pk"))
        return dict(counts)
