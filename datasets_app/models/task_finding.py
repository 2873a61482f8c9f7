"""What the admission test, or a task's source, has against a task as a test of kernels; one row per task and code."""

from django.db import models

from datasets_app.models.admission_codes import MEANINGS
from datasets_app.models.task import Task


class TaskFinding(models.Model):
    """`by_source`: its source says so, and no admission test takes it back."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="findings")
    code = models.CharField(max_length=40, choices=list(MEANINGS.items()))
    by_source = models.BooleanField(default=False)

    class Meta:
        ordering = ["task", "code"]
        constraints = [models.UniqueConstraint(fields=["task", "code"], name="task_finding_once")]

    def __str__(self) -> str:
        return f"{self.code} of {self.task_id}"

    @property
    def meaning(self) -> str:
        return MEANINGS.get(self.code, self.code)
