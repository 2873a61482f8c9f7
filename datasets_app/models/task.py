import re
from datetime import datetime
from typing import Any

from django.db import models
from django.urls import reverse

from datasets_app.models.querysets import TaskQuerySet
from datasets_app.models.source import Source
from datasets_app.syntax.task_kinds import TaskKind

MOST_CALLS = 2**31 - 1


class Operator(models.Model):
    """One torch operator, by the last part of its name: conv2d, softmax, matmul."""

    name = models.CharField(max_length=80, unique=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Task(models.Model):
    """A reference PyTorch program. Its id is derived from the program (see datasets_app.models.identity)."""

    id = models.UUIDField(primary_key=True, editable=False)
    name = models.CharField(max_length=200, db_index=True)
    kind = models.CharField(max_length=20, choices=TaskKind, default=TaskKind.OTHER, db_index=True)
    operators = models.ManyToManyField(Operator, related_name="tasks", blank=True)
    operator_count = models.PositiveSmallIntegerField(default=0, help_text="distinct torch operators")
    operator_calls = models.PositiveIntegerField(
        null=True, blank=True, help_text="calls of torch operators that one run executes; null: not traced"
    )
    suite = models.CharField(
        max_length=80, blank=True, help_text="the benchmark that numbers it, such as KernelBench"
    )
    level = models.PositiveSmallIntegerField(null=True, blank=True)
    problem = models.PositiveIntegerField(null=True, blank=True)
    external_id = models.CharField(max_length=120, blank=True)
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="tasks")
    own_licence = models.CharField(
        max_length=120,
        blank=True,
        help_text="of this program, as an SPDX expression, where its source names one per row",
    )
    admission = models.JSONField(
        null=True, blank=True, help_text="what the admission test found; null: not run"
    )
    admission_engine = models.CharField(max_length=20, blank=True, help_text="version that admission is of")
    admission_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TaskQuerySet.as_manager()

    class Meta:
        ordering = ["name", "id"]
        indexes = [models.Index(fields=["suite", "level", "problem"], name="task_suite_number")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("task", args=[self.pk])

    @property
    def licence(self) -> str:
        """The program's own, or else the one that its source declares."""
        return self.own_licence or self.source.licence

    def record_admission(self, answers: dict[str, Any], engine: str, at: datetime) -> bool:
        """Keep what the admission test found, unless a newer engine, or the same one later, has said so already."""
        known = Task.objects.only("admission_engine", "admission_at").get(pk=self.pk)
        if known.admission_at and (version(engine), at) < (
            version(known.admission_engine),
            known.admission_at,
        ):
            return False
        Task.objects.filter(pk=self.pk).update(
            admission=answers,
            operator_calls=counted(answers.get("operator_calls")),
            admission_engine=engine,
            admission_at=at,
        )
        return True


def counted(answer: Any) -> int | None:
    """Return a count that the admission test found; None for anything else."""
    is_count = isinstance(answer, int) and not isinstance(answer, bool) and 0 <= answer <= MOST_CALLS
    return answer if is_count else None


def version(text: str) -> list[int]:
    """The numbers of 1.10.2, to compare by; what is no number ends it."""
    return [int(part) for part in re.findall(r"\d+", text)]


class TaskBody(models.Model):
    """The program itself, in a table of its own so that lists never read it."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, primary_key=True, related_name="body")
    pytorch_code = models.TextField()
    extra = models.JSONField(
        default=dict, blank=True, help_text="columns of the source that have no field here"
    )

    def __str__(self) -> str:
        return f"program of {self.task_id}"
