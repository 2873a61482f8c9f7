"""The texts of samples, and what their sources say about them."""

from __future__ import annotations

from django.db import models

from datasets_app.models.sample import Sample


class SampleBody(models.Model):
    """The long texts, in a separate table so that lists never read them."""

    sample = models.OneToOneField(Sample, on_delete=models.CASCADE, primary_key=True, related_name="body")
    reasoning = models.TextField(blank=True)
    kernel_code = models.TextField()
    feedback = models.TextField(blank=True, help_text="feedback to the parent turn")
    claims = models.JSONField(
        default=list, blank=True, help_text="everything that its source claims, see models.source_claim"
    )
    is_program = models.BooleanField(
        default=True,
        help_text="whether the kernel is meant as a program that defines ModelNew; others are never verified",
    )
    extra = models.JSONField(
        default=dict, blank=True, help_text="columns of the source that have no field here"
    )

    def __str__(self) -> str:
        return f"texts of {self.sample_id}"
