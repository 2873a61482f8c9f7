"""Batches: verifications that one request asked for."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.urls import reverse

LONGEST_TITLE = 300


class VerificationBatch(models.Model):
    """One request for several samples. `Verification.batch` refers to it by id; a request for one sample has none.

    The title is stored in words, so that it stays what was requested when the query would match other samples.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = models.CharField(
        max_length=LONGEST_TITLE, help_text="the query in words, or the number of samples"
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "verification batches"
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"{reverse('verify')}?batch={self.pk}"
