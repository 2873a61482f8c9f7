"""Exports of tables: rows of one kind with chosen columns, one row per file that was asked for."""

import uuid

from django.conf import settings
from django.db import models
from django.urls import reverse

from datasets_app.models.job import Job


class TableExport(Job):
    """One file. Which rows it has is fixed when it is asked for, or when it begins if all were asked for."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    table = models.CharField(max_length=20, help_text="a name of datasets_app.export.tables")
    format = models.CharField(max_length=20)
    columns = models.JSONField(default=list)
    selected = models.BooleanField(default=False, help_text="chosen rows; otherwise all of the table")
    total = models.PositiveIntegerField(default=0, help_text="rows to write")
    done = models.PositiveIntegerField(default=0, help_text="progress: rows written")
    size_bytes = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["created_by", "-created_at"], name="table_export_of_person")]

    def __str__(self) -> str:
        return f"{self.table} as {self.format}"

    def get_absolute_url(self) -> str:
        return reverse("table-export", args=[self.pk])
