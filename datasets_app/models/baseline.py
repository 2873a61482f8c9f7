"""Baselines: times of task references, from which speedups are computed."""

from django.db import models
from django.db.models import Q

from datasets_app.models.task import Task


class Baseline(models.Model):
    """The time of a task's reference on one device in one mode under one set of versions."""

    class Mode(models.TextChoices):
        EAGER = "eager"
        COMPILE = "compile", "torch.compile"
        MAX_AUTOTUNE = "max-autotune", "torch.compile max-autotune"
        CUDA_GRAPH = "cuda-graph", "CUDA graph"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="baselines")
    device = models.CharField(max_length=120)
    mode = models.CharField(max_length=20, choices=Mode)
    versions = models.JSONField(default=dict)
    versions_key = models.CharField(max_length=64, help_text="hash of versions, to find the newest of a set")
    median_ms = models.FloatField()
    p10_ms = models.FloatField(null=True, blank=True)
    p90_ms = models.FloatField(null=True, blank=True)
    sample_count = models.PositiveIntegerField(default=0)
    measured_at = models.DateTimeField()

    class Meta:
        ordering = ["task", "device", "mode", "-measured_at"]
        constraints = [
            models.UniqueConstraint(fields=["task", "device", "mode", "versions_key"], name="baseline_once"),
            models.CheckConstraint(name="baseline_positive", condition=Q(median_ms__gt=0)),
        ]

    def __str__(self) -> str:
        return f"{self.task_id} {self.mode} on {self.device}"
