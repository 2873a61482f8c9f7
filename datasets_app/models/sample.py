from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from datasets_app.models.licence import joined
from datasets_app.models.querysets import SampleQuerySet
from datasets_app.models.source import Source
from datasets_app.models.task import Task


class Language(models.TextChoices):
    CUDA = "cuda", "CUDA"
    CPP = "cpp", "C++"
    TRITON = "triton", "Triton"
    PYTHON = "python", "Python"


class Verdict(models.TextChoices):
    """A reviewer's judgement. The newest review counts."""

    ACCEPT = "accept"
    FIX = "fix", "needs a fix"
    REJECT = "reject"


class Sample(models.Model):
    """One triple: a task, a reasoning trace, a kernel program. Its id is derived from the three texts.

    The last group of fields repeats the evidence on the reference device and the newest review, so that a list of
    a million rows filters and sorts on one table. Without evidence on the reference device they repeat the evidence
    on the next device that has any; without any evidence, the newest run that decided nothing. Only
    `datasets_app.evidence.record.refresh` and `record_verdict` write them, in the transaction that stores the
    verification or the review.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    # Of these two, indexes below begin with the column.
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="samples", db_index=False)
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="samples", db_index=False)
    generator = models.CharField(max_length=120, blank=True, help_text="the model or person that wrote it")
    sampling = models.JSONField(
        default=dict, blank=True, help_text="temperature and the like, as the source gives them"
    )
    language = models.CharField(max_length=10, choices=Language)
    external_id = models.CharField(max_length=120, blank=True)
    parent = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="children",
        db_index=False,  # most samples have none: see sample_follows
    )
    turn = models.PositiveSmallIntegerField(
        default=0, help_text="0: a first attempt; else the turn in its trajectory"
    )
    has_trace = models.BooleanField()
    trace_tokens = models.PositiveIntegerField(null=True, blank=True, help_text="null: no trace")
    tokenizer = models.CharField(max_length=60, blank=True, help_text="what counted trace_tokens")
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
    device = models.CharField(max_length=120, blank=True, help_text="that the headline evidence is of")
    verified_at = models.DateTimeField(null=True, blank=True)
    environment = models.CharField(
        max_length=16,
        blank=True,
        help_text="device and versions that the headline evidence is bound to, by key",
    )
    verdict = models.CharField(
        max_length=10, choices=Verdict, blank=True, help_text="newest review's; empty: none"
    )
    reviewed_at = models.DateTimeField(null=True, blank=True)

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
            models.Index(fields=["parent", "turn"], name="sample_follows", condition=Q(parent__isnull=False)),
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
        """That of its source, and that of its task's program where that has one of its own."""
        return joined(self.source.licence, self.task.own_licence)

    def record_verdict(self, *, verdict: str, reviewed_at) -> None:
        """Repeat the newest review's verdict on the row that lists read; an older one changes nothing."""
        newer = Q(reviewed_at__isnull=True) | Q(reviewed_at__lte=reviewed_at)
        Sample.objects.filter(newer, pk=self.pk).update(verdict=verdict, reviewed_at=reviewed_at)


class SampleBody(models.Model):
    """The long texts, in a table of their own so that lists never read them."""

    sample = models.OneToOneField(Sample, on_delete=models.CASCADE, primary_key=True, related_name="body")
    reasoning = models.TextField(blank=True)
    kernel_code = models.TextField()
    feedback = models.TextField(blank=True, help_text="what the parent turn was told")
    extra = models.JSONField(
        default=dict, blank=True, help_text="columns of the source that have no field here"
    )

    def __str__(self) -> str:
        return f"texts of {self.sample_id}"
