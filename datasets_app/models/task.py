from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from django.db import connections, models
from django.urls import reverse

from datasets_app.db.text_index import matching_ids
from datasets_app.models.admission_codes import codes_of
from datasets_app.models.source import Source
from datasets_app.syntax.task_kinds import TaskKind

MOST_CALLS = 2**31 - 1


class Operator(models.Model):
    """A torch operator, by the last part of its name: conv2d, softmax, matmul."""

    name = models.CharField(max_length=80, unique=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class TaskQuerySet(models.QuerySet["Task"]):
    def search(self, text: str) -> TaskQuerySet:
        """Return tasks whose program contains all the words, or whose name contains the text itself."""
        ids = matching_ids(connections[self.db].vendor, "task", text)
        return self.filter(models.Q(pk__in=ids) | models.Q(name__icontains=text))

    def with_body(self) -> TaskQuerySet:
        return self.select_related("body")


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
        help_text="of this program, as an SPDX expression, if its source names one per row",
    )
    admission = models.JSONField(
        null=True, blank=True, help_text="result of the admission test; null: not run"
    )
    admission_engine = models.CharField(max_length=20, blank=True, help_text="engine version of admission")
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
        """The program's own licence, or else the one that its source declares."""
        return self.own_licence or self.source.licence

    def record_admission(self, answers: dict[str, Any], engine: str, at: datetime) -> bool:
        """Store the result of the admission test, unless the stored one is from a newer engine, or a later
        run of this one.
        """
        stored = Task.objects.only("admission_engine", "admission_at").get(pk=self.pk)
        if stored.admission_at and (version(engine), at) < (
            version(stored.admission_engine),
            stored.admission_at,
        ):
            return False
        Task.objects.filter(pk=self.pk).update(
            admission=answers,
            operator_calls=counted(answers.get("operator_calls")),
            admission_engine=engine,
            admission_at=at,
        )
        self.record_findings(codes_of(answers))
        return True

    def record_findings(self, codes: set[str]) -> None:
        """Replace what the admission test has against the task; what its source says stays."""
        findings = self.findings  # type: ignore[attr-defined]  # of TaskFinding, defined below this model
        findings.filter(by_source=False).exclude(code__in=codes).delete()
        rows = [findings.model(task=self, code=code) for code in sorted(codes)]
        findings.bulk_create(rows, ignore_conflicts=True)


def counted(answer: Any) -> int | None:
    """Return a count that the admission test found; None for anything else."""
    is_count = isinstance(answer, int) and not isinstance(answer, bool) and 0 <= answer <= MOST_CALLS
    return answer if is_count else None


def version(text: str) -> list[int]:
    """Return the numeric parts of a version such as 1.10.2, for comparison."""
    return [int(part) for part in re.findall(r"\d+", text)]


class TaskBody(models.Model):
    """The program text, in a separate table so that lists never read it."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, primary_key=True, related_name="body")
    pytorch_code = models.TextField()
    extra = models.JSONField(
        default=dict, blank=True, help_text="columns of the source that have no field here"
    )

    def __str__(self) -> str:
        return f"program of {self.task_id}"
