"""Verifications: append-only claims about a sample, each tested on one machine."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from datasets_app.models.environment import Environment
from datasets_app.models.job import Job, JobState
from datasets_app.models.outcome import DECIDING
from datasets_app.models.sample import Sample
from datasets_app.models.turn import Turn
from datasets_app.models.verification_queryset import VerificationQuerySet


class WantedDevice(models.TextChoices):
    """The kind of device that a verification waits for; the queue is named after it."""

    CPU = "cpu", "CPU"
    CUDA = "cuda", "CUDA"


class Verification(Job):
    """One run of one sample on one device under one profile. Finished means that it has an outcome.

    `attempt` numbers the messages that were sent for this row: a message of an older number counts no
    more. `lost` counts the workers that stopped answering while they held it. A row that was cancelled
    while it waited is `failed`: it has no outcome, and `error` says who cancelled it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="verifications")
    profile = models.CharField(max_length=20, default="standard")
    inspect = models.BooleanField(
        default=False, help_text="look inside: machine code, counters, memory errors"
    )
    wanted_device = models.CharField(
        max_length=10, choices=WantedDevice, help_text="cpu or cuda: the queue that it waits in"
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True
    )
    batch = models.UUIDField(null=True, blank=True, db_index=True, help_text="asked for together")
    turn = models.PositiveSmallIntegerField(
        choices=Turn, default=Turn.FIRST, help_text="lower ones are taken first"
    )
    lost = models.PositiveSmallIntegerField(default=0, help_text="workers that stopped answering while on it")
    sent_at = models.DateTimeField(null=True, blank=True, help_text="when its newest message was sent")
    worker = models.CharField(max_length=120, blank=True)
    stage = models.CharField(max_length=40, blank=True, help_text="what the worker does now")
    stage_detail = models.CharField(max_length=300, blank=True)

    outcome = models.CharField(max_length=20, blank=True)
    detail = models.TextField(blank=True, help_text="why, in one sentence")
    speedup = models.FloatField(null=True, blank=True, help_text="over eager, median of paired ratios")
    speedup_low = models.FloatField(null=True, blank=True)
    speedup_high = models.FloatField(null=True, blank=True)
    median_ms = models.FloatField(null=True, blank=True)
    eager_median_ms = models.FloatField(null=True, blank=True)
    kernelbench_correct = models.BooleanField(
        null=True, blank=True, help_text="what KernelBench's own protocol says"
    )
    kernelbench_speedup = models.FloatField(null=True, blank=True, help_text="by KernelBench's own protocol")
    time_confirmed = models.BooleanField(default=False, help_text="by the judge's own clock")
    custom_kernel_share = models.FloatField(
        null=True, blank=True, help_text="share of a call's GPU time in kernels built from the submission"
    )
    device = models.CharField(max_length=120, blank=True, help_text="the device's own name")
    engine_version = models.CharField(max_length=20, blank=True)
    torch_version = models.CharField(max_length=40, blank=True)
    environment = models.ForeignKey(
        Environment, on_delete=models.PROTECT, null=True, blank=True, related_name="verifications"
    )
    report_key = models.CharField(
        max_length=64, null=True, blank=True, unique=True, help_text="hash of the report: stored once"
    )

    objects = VerificationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["sample", "-created_at"], name="verification_of_sample"),
            models.Index(fields=["state", "lease_until"], name="verification_lease"),
            models.Index(fields=["-created_at", "-id"], name="verification_newest"),
            models.Index(fields=["outcome", "-created_at"], name="verification_outcome"),
            models.Index(fields=["state", "-created_at", "-id"], name="verification_state_newest"),
            models.Index(fields=["state", "-finished_at"], name="verification_finished"),
            models.Index(  # of those that wait: how many were sent, and which are sent next
                fields=["wanted_device", "sent_at", "turn", "created_at", "id"],
                condition=Q(state="queued"),
                name="verification_to_send",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                name="verification_waits_once",
                fields=["sample", "wanted_device", "profile", "inspect"],
                condition=Q(state__in=["queued", "running"]),
            ),
            models.CheckConstraint(
                name="verification_done_has_outcome",
                condition=(Q(state="done") & ~Q(outcome="") & Q(finished_at__isnull=False))
                | (~Q(state="done") & Q(outcome="")),
            ),
            models.CheckConstraint(
                name="verification_speedup_needs_pass",
                condition=Q(speedup__isnull=True) | Q(outcome="passed", speedup__gt=0),
            ),
            models.CheckConstraint(
                name="verification_running_has_lease",
                condition=~Q(state="running") | Q(lease_until__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sample_id} on {self.device or self.wanted_device}: {self.outcome or self.state}"

    def get_absolute_url(self) -> str:
        return reverse("verification", args=[self.pk])

    @property
    def deciding(self) -> bool:
        """Whether it says anything about the kernel, as the queryset's `deciding()`."""
        return self.state == JobState.DONE and self.outcome in DECIDING and bool(self.device)

    @property
    def status(self) -> str:
        """The word that pages show: the outcome once there is one, else what the row is doing."""
        return self.outcome or ("cancelled" if self.state == JobState.FAILED else self.state)


class VerificationReport(models.Model):
    """The engine's report, in a table of its own so that lists never read it; long listings are MachineCode."""

    verification = models.OneToOneField(
        Verification, on_delete=models.CASCADE, primary_key=True, related_name="report"
    )
    report = models.JSONField()

    def __str__(self) -> str:
        return f"report of {self.verification_id}"

    def whole(self) -> dict[str, Any]:
        """The report as the engine wrote it, listings included; one more query where it was inspected."""
        if not self.report.get("inspection"):
            return dict(self.report)
        texts = MachineCode.objects.filter(verification=self.verification_id).values_list("kind", "text")
        return {**self.report, "inspection": {**self.report["inspection"], **dict(texts)}}


class MachineCode(models.Model):
    """What the compiler made of the kernel, as text; megabytes at times, so that only its own page reads it."""

    class Kind(models.TextChoices):
        SASS = "sass", "SASS"
        PTX = "ptx", "PTX"
        ASSEMBLY = "assembly", "assembly"  # of a C++ extension

    verification = models.ForeignKey(Verification, on_delete=models.CASCADE, related_name="machine_code")
    kind = models.CharField(max_length=10, choices=Kind)
    text = models.TextField()
    line_count = models.PositiveIntegerField()

    class Meta:
        ordering = ["verification", "kind"]
        constraints = [models.UniqueConstraint(fields=["verification", "kind"], name="machine_code_once")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.verification_id}"

    def get_absolute_url(self) -> str:
        return reverse("verification-code", args=[self.verification_id, self.kind])


class StageChange(models.Model):
    """A worker entered a stage: the lines of a verification's log."""

    verification = models.ForeignKey(Verification, on_delete=models.CASCADE, related_name="stages")
    attempt = models.PositiveIntegerField()
    worker = models.CharField(max_length=120, blank=True)
    stage = models.CharField(max_length=40)
    detail = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["verification", "at", "id"]

    def __str__(self) -> str:
        return f"{self.verification_id}: {self.stage}"
