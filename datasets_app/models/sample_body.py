"""The texts of samples, and what their sources say about them."""

from __future__ import annotations

from typing import Any

from django.db import models

from datasets_app.models.sample import Sample
from datasets_app.models.source_claim import ALSO_CLAIMED, of_further_rows


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

    @property
    def all_claims(self) -> list[dict[str, Any]]:
        """Return what its source claims, then what further rows about the same sample do."""
        return [*self.claims, *of_further_rows(self.extra.get(ALSO_CLAIMED))]
