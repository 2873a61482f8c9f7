"""Evaluation runs: what one generator wrote for a frozen set of tasks, and the device and profile that judge it."""

import uuid

from django.conf import settings
from django.db import models
from django.urls import reverse

from datasets_app.models.source import Source
from datasets_app.models.task import Task, TaskQuerySet

RUN_NAME_CHARS = 120


class TaskSet(models.Model):
    """A frozen set of tasks, known by the hash of their ids: runs over the same set can be compared."""

    sha256 = models.CharField(max_length=64, unique=True, help_text="of the sorted ids, one per line")
    size = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.size:,} tasks, {self.sha256[:12]}"

    def tasks(self) -> TaskQuerySet:
        return Task.objects.filter(pk__in=self.members.order_by().values("task"))


class TaskSetMemberQuerySet(models.QuerySet["TaskSetMember"]):
    def of_set(self, sha256: str) -> models.QuerySet:
        """Return the tasks' ids of the sets whose SHA-256 begins with the text."""
        return self.filter(task_set__sha256__startswith=sha256.lower()).order_by().values("task")


class TaskSetMember(models.Model):
    task_set = models.ForeignKey(TaskSet, on_delete=models.CASCADE, related_name="members", db_index=False)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="+")

    objects = TaskSetMemberQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["task_set", "task"], name="task_set_member_once")]

    def __str__(self) -> str:
        return f"{self.task_set_id} / {self.task_id}"


class RunKind(models.TextChoices):
    SYNTHESIS = "synthesis"
    KERNELBENCH = "kernelbench", "KernelBench run"
    PUBLISHED = "published", "published set"


class EvaluationRun(models.Model):
    """A source judged over a task set. Of a synthesis it includes all further turns, so that a chain is one run."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=RUN_NAME_CHARS, unique=True)
    kind = models.CharField(max_length=12, choices=RunKind)
    source = models.ForeignKey(
        Source, on_delete=models.PROTECT, related_name="runs", help_text="of its samples"
    )
    task_set = models.ForeignKey(TaskSet, on_delete=models.PROTECT, related_name="runs")
    generator = models.CharField(max_length=120, blank=True, help_text="the most frequent one of its samples")
    device = models.CharField(
        max_length=120,
        blank=True,
        help_text="empty: the reference device, or the one with most of its evidence",
    )
    profile = models.CharField(
        max_length=20, blank=True, help_text="evidence of a less strict profile is undecided; empty: any"
    )
    per_task = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="candidates that were asked for; null: those of the task with most"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.pk])
