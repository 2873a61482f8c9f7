from django.conf import settings
from django.db import models

from datasets_app.models.sample import Sample


class Assignment(models.Model):
    """A sample assigned to one reviewer, whose queue offers it first."""

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="assignments")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="assignments"
    )
    assigned_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    assigned_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sample", "reviewer"], name="assigned_once")]
        indexes = [models.Index(fields=["reviewer", "sample"], name="assigned_to")]

    def __str__(self) -> str:
        return f"{self.sample_id} for {self.reviewer_id}"
