"""Verifications: append-only claims about a sample, each tested on one machine."""

from __future__ import annotations

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.expressions import Combinable
from django.urls import reverse

from datasets_app.models.environment import Environment
from datasets_app.models.job import Job, JobState
from datasets_app.models.outcome import DECIDING
from datasets_app.models.priority import Priority
from datasets_app.models.sample import Language, Sample
from datasets_app.models.task import Task


class WantedDevice(models.TextChoices):
    """The kind of device that a verification waits for, which names its queue."""

    CPU = "cpu", "CPU"
    CUDA = "cuda", "CUDA"

    @classmethod
    def for_language(cls, language: str) -> WantedDevice:
        """Return the kind of device that kernels in a language need."""
        return (
            cls.CUDA if language in (Language.CUDA, Language.TRITON) else cls.CPU
        )  # no worker runs HIP or SASS


class VerificationQuerySet(models.QuerySet["Verification"]):
    def for_list(self) -> VerificationQuerySet:
        """Load what a list shows in one query, without reports and bodies."""
        return self.select_related("sample__task", "requested_by", "environment")

    def with_subject(self) -> VerificationQuerySet:
        """Load the texts that the engine runs, of a sample or of an edit."""
        edited = "edit_version__edit"
        return self.select_related(
            "sample__body",
            "sample__task__body",
            f"{edited}__author",
            f"{edited}__base__body",
            f"{edited}__base__task__body",
        ).defer("sample__body__reasoning", f"{edited}__base__body__reasoning")

    def own(self) -> VerificationQuerySet:
        """Return the runs that a worker of this site made; imported and recorded reports name none.

        One that was carried to a revision keeps the worker of its original.
        """
        return self.exclude(worker="")

    def waiting(self) -> VerificationQuerySet:
        return self.filter(state="queued")

    def running(self) -> VerificationQuerySet:
        return self.filter(state="running")

    def unfinished(self) -> VerificationQuerySet:
        return self.filter(state__in=["queued", "running"])

    def finished(self) -> VerificationQuerySet:
        return self.filter(state="done")

    def deciding(self) -> VerificationQuerySet:
        """Return those that decide about their kernel on a device.

        A verification that reached no device, was cancelled, is not finished, or ended as `infra_error`, `unsupported`
        or `invalid_reference` says nothing about the kernel and never displaces one that does.
        """
        return self.finished().filter(outcome__in=DECIDING).exclude(device="")

    def on(self, device: str) -> VerificationQuerySet:
        """Return those that ran on the device of this name."""
        return self.filter(device=device)

    def headline(self) -> VerificationQuerySet:
        """Return those that lists show: a sample's evidence on the reference device, else on the next one."""
        return self.filter(evidence__is_headline=True)

    def lease_expired(self, now: datetime) -> VerificationQuerySet:
        return self.filter(state="running", lease_until__lt=now)

    def outcome_counts(self) -> dict[str, int]:
        """Return the number of finished verifications by outcome."""
        counts = self.finished().order_by().values_list("outcome").annotate(n=models.Count("pk"))
        return dict(counts)

    def state_counts(self) -> dict[str, int]:
        """Return the number of rows by state."""
        return dict(self.order_by().values_list("state").annotate(n=models.Count("*")))  # an index has it all

    def waiting_counts(self) -> dict[tuple[str, str], int]:
        """Return the number of queued rows by kind of device and requirement."""
        rows = self.waiting().order_by().values_list("wanted_device", "requirement")
        return {(kind, requirement): n for kind, requirement, n in rows.annotate(n=models.Count("pk"))}


class OfSamples(models.Manager["Verification"]):
    """The manager that lists, counts and analyses use: it leaves out the runs of proposed texts."""

    def get_queryset(self) -> models.QuerySet[Verification]:
        return super().get_queryset().filter(sample__isnull=False)


class Verification(Job):
    """One run of one sample on one device under one profile. A finished one has an outcome.

    A run of an edit's text belongs to an `EditVersion` and to no sample until the edit is accepted. `objects`, and with
    it every relation of a sample, leaves such runs out; `runs` has all rows, for the queue and the workers' reports,
    which read `subject_id` and never `sample`.

    `attempt` numbers the messages of this row: a message with an older number no longer counts. `lost` counts the
    workers that stopped answering while they held it. A row that was cancelled while it was queued is `failed`: it has
    no outcome, and `error` says who cancelled it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    sample: models.ForeignKey[Combinable | Sample, Sample] = models.ForeignKey(  # type: ignore[assignment,misc]
        Sample, on_delete=models.PROTECT, null=True, related_name="verifications"
    )
    edit_version = models.ForeignKey(
        "EditVersion",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="the proposed text that was run; its row has no sample until the edit is accepted",
    )
    carried_from = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="the run of the same program and kernel that an edit of the trace alone rests on",
    )
    profile = models.CharField(max_length=20, default="standard")
    inspect = models.BooleanField(
        default=False, help_text="collect machine code, profiler counters and memory errors"
    )
    wanted_device = models.CharField(
        max_length=10, choices=WantedDevice, help_text="cpu or cuda; determines its queue"
    )
    requirement = models.CharField(
        max_length=200, blank=True, default="", help_text="what a host must have besides: memory:80"
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True
    )
    batch = models.UUIDField(
        null=True, blank=True, db_index=True, help_text="shared by verifications requested together"
    )
    priority = models.PositiveSmallIntegerField(
        choices=Priority, default=Priority.FIRST, help_text="lower values are taken first"
    )
    lost = models.PositiveSmallIntegerField(
        default=0, help_text="workers that stopped answering while they held it"
    )
    sent_at = models.DateTimeField(null=True, blank=True, help_text="when its newest message was sent")
    worker = models.CharField(max_length=120, blank=True)
    stage = models.CharField(max_length=40, blank=True, help_text="current stage of the worker")
    stage_detail = models.CharField(max_length=300, blank=True)

    outcome = models.CharField(max_length=20, blank=True)
    detail = models.TextField(blank=True, help_text="reason for the outcome, in one sentence")
    speedup = models.FloatField(null=True, blank=True, help_text="over eager, median of paired ratios")
    speedup_low = models.FloatField(null=True, blank=True)
    speedup_high = models.FloatField(null=True, blank=True)
    median_ms = models.FloatField(null=True, blank=True)
    eager_median_ms = models.FloatField(null=True, blank=True)
    kernelbench_correct = models.BooleanField(
        null=True, blank=True, help_text="verdict of KernelBench's own protocol"
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
        max_length=64,
        null=True,
        blank=True,
        unique=True,
        help_text="hash of the report, so that it is stored once",
    )

    objects = OfSamples.from_queryset(VerificationQuerySet)()
    runs = models.Manager.from_queryset(VerificationQuerySet)()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["sample", "-created_at"], name="verification_of_sample"),
            models.Index(fields=["state", "lease_until"], name="verification_lease"),
            models.Index(fields=["-created_at", "-id"], name="verification_newest"),
            models.Index(fields=["outcome", "-created_at"], name="verification_outcome"),
            models.Index(fields=["state", "-created_at", "-id"], name="verification_state_newest"),
            models.Index(fields=["state", "-finished_at"], name="verification_finished"),
            models.Index(  # which row of which requester to send next
                fields=["wanted_device", "requirement", "priority", "requested_by", "created_at", "id"],
                condition=Q(state="queued", sent_at=None),
                name="verification_to_send",
            ),
            models.Index(  # how many are queued, and how many of them are sent
                fields=["wanted_device", "requirement", "sent_at", "priority", "created_at"],
                condition=Q(state="queued"),
                name="verification_queued",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                name="verification_waits_once",
                fields=["sample", "wanted_device", "profile", "inspect", "requirement"],
                condition=Q(state__in=["queued", "running"]),
            ),
            models.UniqueConstraint(
                name="verification_of_edit_waits_once",
                fields=["edit_version"],
                condition=Q(state__in=["queued", "running"]),
            ),
            models.CheckConstraint(
                name="verification_has_subject",
                condition=Q(sample__isnull=False) | Q(edit_version__isnull=False),
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
        return f"{self.subject_id} on {self.device or self.wanted_device}: {self.outcome or self.state}"

    def get_absolute_url(self) -> str:
        if self.sample_id is None and self.edit_version is not None:
            return reverse("edit-run", args=[self.edit_version.edit_id, self.pk])
        return reverse("verification", args=[self.pk])

    @property
    def of_sample(self) -> uuid.UUID:
        """Return the sample's id, which every row that `objects` returns has."""
        assert self.sample_id is not None
        return self.sample_id

    @property
    def subject_id(self) -> uuid.UUID:
        """Return the id of the text that is run: the sample's, or the one that the edit's text has as a sample."""
        if self.edit_version is not None:
            return self.edit_version.content_id
        return self.of_sample

    @property
    def task(self) -> Task:
        """Return the task whose reference the run compares with."""
        return self.sample.task if self.edit_version is None else self.edit_version.edit.base.task

    def subject(self) -> Sample:
        """Return what is run, with its body: the sample, or what the edit's text would become."""
        return self.edit_version.as_sample() if self.edit_version is not None else self.sample

    @property
    def deciding(self) -> bool:
        """Return whether it decides about the kernel, as the queryset's `deciding()`."""
        return self.state == JobState.DONE and self.outcome in DECIDING and bool(self.device)

    @property
    def status(self) -> str:
        """Return the outcome once there is one, else the state."""
        return self.outcome or ("cancelled" if self.state == JobState.FAILED else self.state)
