"""Findings of the checks of a verification."""

from collections.abc import Iterable

from django.db import models

from datasets_app.models.verification import Verification


class Finding(models.Model):
    """Something that a check noticed, with evidence that a person can read."""

    class Severity(models.TextChoices):
        REJECT = "reject"
        AUDIT = "audit"
        LABEL = "label"

    verification = models.ForeignKey(Verification, on_delete=models.CASCADE, related_name="findings")
    code = models.CharField(max_length=60, db_index=True)
    severity = models.CharField(max_length=10, choices=Severity)
    detail = models.TextField(blank=True)

    class Meta:
        ordering = ["verification", "id"]

    def __str__(self) -> str:
        return f"{self.code} ({self.severity})"


def gravest_first(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings by severity: reject, audit, label."""
    return sorted(findings, key=lambda finding: list(Finding.Severity.values).index(finding.severity))
