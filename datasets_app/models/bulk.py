"""Bulk actions: the job row, and the changes that undoing needs."""

import uuid

from django.conf import settings
from django.db import models
from django.urls import reverse

from datasets_app.models.job import Job
from datasets_app.models.sample import Sample


class BulkAction(Job):
    """One verb over a selection or over everything that a filter matches. `action` names its class in
    bulk/verbs.

    Samples are processed in the order of their numbers (db.facet_index). `last_number` is the last one processed, so
    that another worker can continue from there. `undoes` is set if this action undoes another one.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    action = models.CharField(max_length=20)
    params = models.JSONField(default=dict, help_text="the verb's own settings")
    query = models.TextField(blank=True, help_text="the filter; not used where ids are given")
    ids = models.JSONField(
        null=True, blank=True, help_text="the selection; null: all that the filter matches"
    )
    undoes = models.OneToOneField(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="undone_by"
    )
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    total = models.PositiveIntegerField(default=0, help_text="samples, counted at the request")
    counted = models.BooleanField(default=True, help_text="otherwise total is a lower bound until it begins")
    expected = models.PositiveIntegerField(
        null=True, blank=True, help_text="refused if another number of samples matches"
    )
    seen = models.PositiveIntegerField(default=0, help_text="progress: samples processed")
    changed = models.PositiveIntegerField(default=0, help_text="of these, samples whose state it changed")
    last_number = models.BigIntegerField(default=0, help_text="progress: number of the last sample processed")
    result = models.JSONField(default=dict, blank=True, help_text="summary by the verb when done")
    undo_ended = models.BooleanField(default=False, help_text="its changes need not be kept any longer")
    dismissed = models.BooleanField(default=False, help_text="its bar was closed")

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["actor", "-created_at"], name="bulk_of_actor")]

    def __str__(self) -> str:
        return f"{self.action} over {self.total} samples"

    def get_absolute_url(self) -> str:
        return reverse("bulk-action", args=[self.pk])


class BulkChange(models.Model):
    """A sample that a bulk action changed; undoing reverts exactly these."""

    bulk = models.ForeignKey(BulkAction, on_delete=models.CASCADE, related_name="changes")
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["bulk", "sample"], name="changed_once_a_bulk")]

    def __str__(self) -> str:
        return f"{self.sample_id} by {self.bulk_id}"
