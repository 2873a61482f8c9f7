"""Evidence about samples, one row per sample and device, and the devices that have any."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from datasets_app.models.claim_ratio import claim_ratio_of
from datasets_app.models.environment import Environment
from datasets_app.models.sample import Sample
from datasets_app.models.verification import Verification


class EvidenceQuerySet(models.QuerySet["Evidence"]):
    def on(self, device: str) -> EvidenceQuerySet:
        return self.filter(device=device)

    def headline(self) -> EvidenceQuerySet:
        """Return the row of each sample that `Sample.outcome` and its related columns repeat."""
        return self.filter(is_headline=True)

    def beside_headlines(self) -> EvidenceQuerySet:
        """Return the evidence that the columns of samples do not repeat."""
        return self.filter(is_headline=False)

    def passed(self) -> EvidenceQuerySet:
        return self.filter(outcome="passed")

    def with_claim_ratio(self) -> EvidenceQuerySet:
        """Annotate `claim_ratio`, which `Sample.claim_ratio` is for the headline."""
        return self.annotate(claim_ratio=claim_ratio_of("speedup", "sample__claimed_speedup"))

    def reference_first(self) -> EvidenceQuerySet:
        """Order by sample, the headline before the evidence on other devices."""
        return self.order_by("sample", "-is_headline", "device")


class Evidence(models.Model):
    """The result of the verifications of one sample on one device.

    Written by `datasets_app.evidence.record.refresh` alone, in the transaction that stores a report. It repeats the
    columns of the deciding verification that `datasets_app.evidence.choose` selects, so that filters, ranks and plots
    read one table and never mix devices.
    """

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="evidence", db_index=False)
    device = models.CharField(max_length=120, help_text="the device's own name")
    kind = models.CharField(max_length=10, help_text="cpu or cuda")
    verification = models.OneToOneField(Verification, on_delete=models.CASCADE, related_name="evidence")
    outcome = models.CharField(max_length=20)
    speedup = models.FloatField(null=True, help_text="over eager, median of paired ratios")
    speedup_low = models.FloatField(null=True)
    speedup_high = models.FloatField(null=True)
    median_ms = models.FloatField(null=True)
    time_confirmed = models.BooleanField(default=False)
    custom_kernel_share = models.FloatField(null=True)
    profile = models.CharField(max_length=20)
    environment = models.ForeignKey(Environment, on_delete=models.PROTECT, null=True, related_name="evidence")
    finished_at = models.DateTimeField()
    runs_disagree = models.BooleanField(
        default=False,
        help_text="two runs of this profile and environment have other outcomes, or intervals that do not overlap",
    )
    between_low = models.FloatField(
        null=True, help_text="between-run interval; null with fewer than two runs"
    )
    between_high = models.FloatField(null=True)
    is_headline = models.BooleanField(default=False, help_text="the evidence that lists show")

    objects = EvidenceQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "evidence"
        ordering = ["sample", "-is_headline", "device"]
        indexes = [
            models.Index(fields=["device", "outcome", "speedup"], name="evidence_of_device"),
            models.Index(fields=["device"], condition=Q(is_headline=False), name="evidence_beside_headline"),
            models.Index(
                fields=["runs_disagree"], condition=Q(runs_disagree=True), name="evidence_disagrees"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["sample", "device"], name="evidence_once_per_device"),
            models.UniqueConstraint(
                fields=["sample"], condition=Q(is_headline=True), name="evidence_one_headline"
            ),
            models.CheckConstraint(
                name="evidence_speedup_needs_pass",
                condition=Q(speedup__isnull=True) | Q(outcome="passed", speedup__gt=0),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sample_id} on {self.device}: {self.outcome}"


class EvidenceDevice(models.Model):
    """A device that has evidence. The order of devices decides which one a sample's headline is taken from."""

    name = models.CharField(max_length=120, unique=True)
    kind = models.CharField(max_length=10)
    verifications = models.PositiveIntegerField(
        default=0, help_text="deciding ones, as the last maintenance run counted them"
    )

    class Meta:
        ordering = ["-verifications", "id"]

    def __str__(self) -> str:
        return self.name
