"""Records of a verification beside its row: the engine's report, listings of machine code, and the log of stages."""

from typing import Any

from django.db import models
from django.urls import reverse

from datasets_app.models.verification import Verification


class VerificationReport(models.Model):
    """The engine's report, in a table of its own so that lists never read it; long listings are MachineCode."""

    verification = models.OneToOneField(
        Verification, on_delete=models.CASCADE, primary_key=True, related_name="report"
    )
    report = models.JSONField()

    def __str__(self) -> str:
        return f"report of {self.verification_id}"

    def whole(self) -> dict[str, Any]:
        """Return the report as the engine wrote it, listings included; one more query if it was inspected."""
        if not self.report.get("inspection"):
            return dict(self.report)
        texts = MachineCode.objects.filter(verification=self.verification_id).values_list("kind", "text")
        return {**self.report, "inspection": {**self.report["inspection"], **dict(texts)}}


class MachineCode(models.Model):
    """The compiler's output for a kernel as text; it may have megabytes, so only its own page loads it."""

    class Kind(models.TextChoices):
        SASS = "sass", "SASS"
        PTX = "ptx", "PTX"
        ASSEMBLY = "assembly", "assembly"  # of a C++ extension

    verification = models.ForeignKey(Verification, on_delete=models.CASCADE, related_name="machine_code")
    kind = models.CharField(max_length=10, choices=Kind)
    text = models.TextField()
    line_count = models.PositiveIntegerField()

    class Meta:
        ordering = ["verification", "kind"]
        constraints = [models.UniqueConstraint(fields=["verification", "kind"], name="machine_code_once")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.verification_id}"

    def get_absolute_url(self) -> str:
        return reverse("verification-code", args=[self.verification_id, self.kind])


class StageChange(models.Model):
    """One line of a verification's log: a worker entered a stage."""

    verification = models.ForeignKey(Verification, on_delete=models.CASCADE, related_name="stages")
    attempt = models.PositiveIntegerField()
    worker = models.CharField(max_length=120, blank=True)
    stage = models.CharField(max_length=40)
    detail = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["verification", "at", "id"]

    def __str__(self) -> str:
        return f"{self.verification_id}: {self.stage}"
