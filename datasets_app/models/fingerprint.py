"""What tells two programs apart once layout, comments and docstrings are taken away, and what makes them alike.

Stored beside the rows, because a rule may not read a body: the texts of a sample and of a task never
change (their ids are derived from them), so that a fingerprint is made once and stays true.
"""

from django.db import models

from datasets_app.models.sample import Sample
from datasets_app.models.shape import CLUSTER_DIGITS, CodeShape
from datasets_app.models.task import Task


class KernelFingerprint(models.Model):
    """Of a sample's kernel program; see datasets_app.curate.fingerprints."""

    sample = models.OneToOneField(
        Sample, on_delete=models.CASCADE, primary_key=True, related_name="fingerprint"
    )
    sha256 = models.CharField(max_length=64, db_index=True)
    shape = models.ForeignKey(
        CodeShape,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="prints",
        db_index=False,
        help_text="null: not in the index of similar kernels yet",
    )
    cluster = models.CharField(max_length=CLUSTER_DIGITS, blank=True, help_text="that its shape belongs to")

    class Meta:
        indexes = [
            models.Index(fields=["shape", "sample"], name="print_shape"),
            models.Index(fields=["cluster", "sample"], name="print_cluster"),
        ]

    def __str__(self) -> str:
        return f"{self.sample_id}: {self.sha256[:12]}"


class ProgramFingerprint(models.Model):
    """Of a task's reference program."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, primary_key=True, related_name="fingerprint")
    sha256 = models.CharField(max_length=64, db_index=True)

    def __str__(self) -> str:
        return f"{self.task_id}: {self.sha256[:12]}"
