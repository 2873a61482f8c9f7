from __future__ import annotations

from datetime import datetime
from typing import Any

from django.apps import apps
from django.db import connections, models
from django.db.models import F, Q
from django.db.models.functions import Concat
from django.urls import reverse

from datasets_app.db.text_index import matching_ids
from datasets_app.models.claim_ratio import claim_ratio_of
from datasets_app.models.environment import Environment
from datasets_app.models.licence import AND, joined
from datasets_app.models.outcome import DECIDING
from datasets_app.models.source import Source
from datasets_app.models.task import Task


class Language(models.TextChoices):
    CUDA = "cuda", "CUDA"
    CPP = "cpp", "C++"
    TRITON = "triton", "Triton"
    PYTHON = "python", "Python"
    HIP = "hip", "HIP"
    SASS = "sass", "SASS"


class Verdict(models.TextChoices):
    """One reviewer's verdict."""

    ACCEPT = "accept"
    FIX = "fix", "needs a fix"
    REJECT = "reject"


class SampleVerdict(models.TextChoices):
    """What a sample's reviews decide together; see models.verdict_policy."""

    ACCEPT = "accept"
    FIX = "fix", "needs a fix"
    REJECT = "reject"
    CONTESTED = "contested"


THERE = ("outcome_there", "speedup_there")


class SampleQuerySet(models.QuerySet["Sample"]):
    def search(self, text: str) -> SampleQuerySet:
        """Return samples whose program, trace and kernel together contain all the words (see db.text_index.terms)."""
        return self.filter(pk__in=matching_ids(connections[self.db].vendor, "sample", text))

    def for_list(self) -> SampleQuerySet:
        """Load what a list shows in one query, without bodies."""
        return self.select_related("task", "source").defer("sampling", "task__admission", "source__note")

    def with_body(self) -> SampleQuerySet:
        return self.select_related("task__body", "body", "source")

    def verified(self) -> SampleQuerySet:
        return self.exclude(outcome="")

    def passed(self) -> SampleQuerySet:
        return self.filter(outcome="passed")

    def stale(self) -> SampleQuerySet:
        """Return samples whose headline evidence is bound to versions that have changed since."""
        return self.filter(environment__in=list(Environment.objects.stale().values_list("key", flat=True)))

    def with_evidence_on(self, device: str) -> SampleQuerySet:
        """Join the evidence on this device, if any, as `there`: each with `outcome_there` and `speedup_there`."""
        named = {name: models.F(f"there__{name.removesuffix('_there')}") for name in THERE}
        return self.join_evidence(models.Q(evidence__device=device)).annotate(**named)

    def with_result_on(self, device: str) -> SampleQuerySet:
        """Annotate `outcome_there` and `speedup_there` alone, by the cheaper of two ways to read the same values.

        Unless some sample's evidence on the device is not its headline, the samples' own columns hold all of it.
        """
        evidence: Any = apps.get_model("datasets_app", "Evidence")  # defined above this model
        if not device or evidence.objects.on(device).beside_headlines().exists():
            return self.with_evidence_on(device)
        return self.annotate(
            outcome_there=models.Case(models.When(device=device, outcome__in=DECIDING, then="outcome")),
            speedup_there=models.Case(models.When(device=device, then="measured_speedup")),
        )

    def with_headline_evidence(self) -> SampleQuerySet:
        """Join the evidence that lists show, if any, as `there`; it is of the device that the sample names."""
        return self.join_evidence(models.Q(evidence__is_headline=True))

    def join_evidence(self, evidence: models.Q) -> SampleQuerySet:
        return self.annotate(there=models.FilteredRelation("evidence", condition=evidence))

    def with_licence(self) -> SampleQuerySet:
        """Annotate `licence_text`: the licences of source and program; licence.joined() drops repeated parts."""
        own, source = models.F("task__own_licence"), models.F("source__licence")
        both = Concat(source, models.Value(AND), own)
        return self.annotate(
            licence_text=models.Case(
                models.When(task__own_licence="", then=source),
                models.When(source__licence="", then=own),
                default=both,
            )
        )

    def superseded(self) -> SampleQuerySet:
        """Return the samples that an accepted edit replaced by a revision."""
        return self.filter(pk__in=superseded_ids())

    def in_use(self) -> SampleQuerySet:
        """Return the samples that nobody has withdrawn."""
        return self.filter(withdrawn=False)

    def with_trace(self) -> SampleQuerySet:
        return self.filter(has_trace=True)

    def reviewed(self) -> SampleQuerySet:
        return self.exclude(verdict="")

    def unreviewed(self) -> SampleQuerySet:
        return self.filter(verdict="")


class Sample(models.Model):
    """One triple: a task, a reasoning trace, a kernel program. Its id is derived from the three texts.

    The last group of fields repeats the evidence on the reference device and the verdict of the reviews, so that a
    list of a million rows filters and sorts on one table. Without evidence on the reference device they repeat the
    evidence on the next device that has any; without any evidence, the newest run that decided nothing. Only
    `datasets_app.evidence.record.refresh` and `record_verdict` write them, in the transaction that stores the
    verification or the review.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    # Indexes below begin with these two columns.
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="samples", db_index=False)
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="samples", db_index=False)
    generator = models.CharField(max_length=120, blank=True, help_text="the model or person that wrote it")
    sampling = models.JSONField(
        default=dict, blank=True, help_text="temperature and the like, as stated by the source"
    )
    language = models.CharField(max_length=10, choices=Language)
    external_id = models.CharField(max_length=120, blank=True)
    parent = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="children",
        db_index=False,  # sample_follows covers the few rows that have a parent
    )
    twin = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="twins",
        db_index=False,  # sample_twin covers the few rows that have one
        help_text="the kernel that this one translates into another language",
    )
    turn = models.PositiveSmallIntegerField(
        default=0, help_text="0: a first attempt; otherwise the turn in its trajectory"
    )
    has_trace = models.BooleanField()
    trace_tokens = models.PositiveIntegerField(null=True, blank=True, help_text="null: no trace")
    tokenizer = models.CharField(max_length=60, blank=True, help_text="tokenizer that counted trace_tokens")
    kernel_bytes = models.PositiveIntegerField(default=0)
    claimed_speedup = models.FloatField(null=True, blank=True, help_text="over eager, as the source claims")
    claimed_correct = models.BooleanField(null=True, blank=True)
    claimed_device = models.CharField(max_length=120, blank=True)
    ingest = models.ForeignKey(
        "Ingest", on_delete=models.SET_NULL, null=True, blank=True, related_name="samples"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    outcome = models.CharField(
        max_length=20, blank=True, help_text="of the headline evidence; empty: never verified"
    )
    measured_speedup = models.FloatField(null=True, blank=True)
    claim_ratio = models.GeneratedField(
        expression=claim_ratio_of("measured_speedup"),
        output_field=models.FloatField(),
        null=True,  # so that a negated filter includes the samples without one
        db_persist=True,
        help_text="measured over claimed speedup; the database keeps it true of both",
    )
    device = models.CharField(max_length=120, blank=True, help_text="device of the headline evidence")
    verified_at = models.DateTimeField(null=True, blank=True)
    environment = models.CharField(
        max_length=16,
        blank=True,
        help_text="key of the headline evidence's environment",
    )
    verdict = models.CharField(
        max_length=10,
        choices=SampleVerdict,
        blank=True,
        help_text="of its reviews, by its queue's or the site's policy; empty: no review",
    )
    votes = models.PositiveSmallIntegerField(default=0, help_text="reviewers with a standing vote")
    agreement = models.FloatField(
        null=True, blank=True, help_text="share of the votes that agree with the verdict; null: no votes"
    )
    reviewed_at = models.DateTimeField(null=True, blank=True)
    withdrawn = models.BooleanField(
        default=False, help_text="hidden from lists, queues and recipes; its newest withdrawal says why"
    )

    objects = SampleQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="sample_newest"),
            models.Index(fields=["task", "outcome", "-measured_speedup"], name="sample_task_rank"),
            models.Index(fields=["outcome", "-created_at", "-id"], name="sample_outcome"),
            models.Index(fields=["verdict", "-created_at", "-id"], name="sample_verdict"),
            models.Index(fields=["generator", "-created_at", "-id"], name="sample_generator"),
            models.Index(fields=["language", "-created_at", "-id"], name="sample_language"),
            models.Index(fields=["source", "-created_at", "-id"], name="sample_source"),
            models.Index(fields=["device", "-created_at", "-id"], name="sample_device"),
            models.Index(fields=["environment", "-created_at", "-id"], name="sample_environment"),
            models.Index(fields=["trace_tokens", "id"], name="sample_trace_tokens"),
            models.Index(fields=["measured_speedup", "id"], name="sample_measured"),
            models.Index(
                fields=["device", "measured_speedup", "id"],
                name="sample_device_speed",
                condition=Q(measured_speedup__isnull=False),
            ),
            models.Index(fields=["claimed_speedup", "id"], name="sample_claimed"),
            models.Index(
                fields=["device", "claim_ratio", "id"],
                name="sample_device_ratio",
                condition=Q(claim_ratio__isnull=False),
            ),
            models.Index(fields=["votes", "id"], name="sample_votes", condition=Q(votes__gt=0)),
            models.Index(
                fields=["agreement", "id"], name="sample_agreement", condition=Q(agreement__isnull=False)
            ),
            models.Index(fields=["parent", "turn"], name="sample_follows", condition=Q(parent__isnull=False)),
            models.Index(fields=["twin"], name="sample_twin", condition=Q(twin__isnull=False)),
        ]
        constraints = [
            models.CheckConstraint(
                name="sample_trace_has_tokens",
                condition=Q(has_trace=True, trace_tokens__isnull=False)
                | Q(has_trace=False, trace_tokens__isnull=True),
            ),
            models.CheckConstraint(
                name="sample_verified_has_date",
                condition=Q(outcome="", verified_at__isnull=True)
                | (~Q(outcome="") & Q(verified_at__isnull=False)),
            ),
            models.CheckConstraint(
                name="sample_speedup_needs_pass",
                condition=Q(measured_speedup__isnull=True) | Q(outcome="passed", measured_speedup__gt=0),
            ),
            models.CheckConstraint(
                name="sample_verdict_has_date",
                condition=Q(verdict="", reviewed_at__isnull=True)
                | (~Q(verdict="") & Q(reviewed_at__isnull=False)),
            ),
            models.CheckConstraint(
                name="sample_not_its_own_parent", condition=Q(parent__isnull=True) | ~Q(parent=F("id"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_id} / {self.generator or 'unknown'} / {str(self.pk)[:8]}"

    def get_absolute_url(self) -> str:
        return reverse("sample", args=[self.pk])

    @property
    def licence(self) -> str:
        """Return the licence of its source, joined with that of its task's program if that has its own."""
        return joined(self.source.licence, self.task.own_licence)

    def counterpart(self) -> Sample | None:
        """Return the sample that this one translates, else one that translates it, with its language and generator;
        None: neither. One query."""
        pair = Q(pk=self.twin_id) if self.twin_id else Q(twin=self.pk)
        return Sample.objects.filter(pair).only("language", "generator").order_by("id").first()

    def record_verdict(
        self, *, verdict: str, reviewed_at: datetime | None, votes: int, agreement: float | None
    ) -> None:
        """Repeat what the reviews decide on the row that lists read. The caller holds the row's lock."""
        Sample.objects.filter(pk=self.pk).update(
            verdict=verdict, reviewed_at=reviewed_at, votes=votes, agreement=agreement
        )


def superseded_ids() -> Any:
    """Return a subquery of the ids of superseded samples."""
    edits: Any = apps.get_model("datasets_app", "Edit")  # defined above this model
    return edits.objects.accepted().order_by().values("base")
