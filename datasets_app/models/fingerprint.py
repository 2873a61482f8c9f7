"""Fingerprints of kernels and programs: hashes that ignore layout, comments and docstrings.

They are stored because rules may not read texts. The texts of samples and tasks never change (ids are derived from
them), so that a fingerprint is computed once and stays valid.
"""

from django.db import models

from datasets_app.models.sample import Sample
from datasets_app.models.shape import CLUSTER_DIGITS, CodeShape
from datasets_app.models.task import Task


class KernelFingerprint(models.Model):
    """Fingerprint of a sample's kernel; see datasets_app.curate.fingerprints."""

    sample = models.OneToOneField(
        Sample, on_delete=models.CASCADE, primary_key=True, related_name="fingerprint"
    )
    sha256 = models.CharField(max_length=64, db_index=True)
    shape = models.ForeignKey(
        CodeShape,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="fingerprints",
        db_index=False,
        help_text="null: not in the index of similar kernels yet",
    )
    cluster = models.CharField(max_length=CLUSTER_DIGITS, blank=True, help_text="the cluster of its shape")

    class Meta:
        indexes = [
            models.Index(fields=["shape", "sample"], name="fingerprint_shape"),
            models.Index(fields=["cluster", "sample"], name="fingerprint_cluster"),
        ]

    def __str__(self) -> str:
        return f"{self.sample_id}: {self.sha256[:12]}"


class ProgramFingerprint(models.Model):
    """Fingerprint of a task's reference program."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, primary_key=True, related_name="fingerprint")
    sha256 = models.CharField(max_length=64, db_index=True)
    signature = models.BinaryField(
        default=bytes, help_text="MinHash of the program's tokens, own names left out"
    )

    def __str__(self) -> str:
        return f"{self.task_id}: {self.sha256[:12]}"
