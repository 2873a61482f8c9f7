import uuid

from django.conf import settings
from django.db import models
from django.urls import reverse

from datasets_app.models.job import Job
from datasets_app.models.source import Source


class Ingest(Job):
    """One file read into the site, with every count on the way."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    file_name = models.CharField(max_length=255)
    path = models.CharField(max_length=1000, help_text="where the file or folder lies on the server")
    size_bytes = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    format = models.CharField(
        max_length=40, blank=True, help_text="the reader's name; empty until recognised"
    )
    mapping = models.JSONField(default=dict, blank=True, help_text="field to column, for the generic reader")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="ingests")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    bytes_read = models.PositiveBigIntegerField(default=0)
    rows = models.PositiveIntegerField(default=0)
    new_tasks = models.PositiveIntegerField(default=0, help_text="tasks that were new")
    new_samples = models.PositiveIntegerField(default=0, help_text="samples that were new")
    task_only_rows = models.PositiveIntegerField(default=0, help_text="rows that hold a task and no kernel")
    duplicates = models.PositiveIntegerField(
        default=0, help_text="rows that added nothing: all was there already"
    )
    refused = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.file_name

    def get_absolute_url(self) -> str:
        return reverse("ingest-detail", args=[self.pk])


class RefusedRow(models.Model):
    """A row that could not go in: where it stood, why, and the row itself so that it can be mended."""

    ingest = models.ForeignKey(Ingest, on_delete=models.CASCADE, related_name="refused_rows")
    line = models.PositiveIntegerField(help_text="1-based line or row of the file")
    field = models.CharField(max_length=80, blank=True)
    reason = models.CharField(max_length=500)
    value = models.CharField(max_length=200, blank=True, help_text="the start of the offending value")
    raw = models.TextField(blank=True, help_text="the row as JSON or as it stood, capped")

    class Meta:
        ordering = ["ingest", "line", "id"]

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"
