"""Kernels without the names that their authors chose, for similarity search (see datasets_app.similarity)."""

from django.db import models


class CodeShape(models.Model):
    """The common shape of samples whose kernels differ only in layout, comments and names.

    Shapes are clustered around leaders: a shape that is similar enough to a leader joins its cluster, otherwise it
    leads a new one. `leader` is set once, when the shape is first seen.
    """

    sha256 = models.CharField(max_length=64, unique=True)
    shingle_count = models.PositiveIntegerField()
    shingles = models.BinaryField(help_text="sorted 32-bit hashes, packed")
    signature = models.BinaryField(help_text="MinHash, packed")
    leader = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="members"
    )
    likeness = models.FloatField(default=1.0, help_text="Jaccard similarity to the leader")

    def __str__(self) -> str:
        return self.cluster

    @property
    def cluster(self) -> str:
        """Name of its cluster: the start of the leader's hash, the same on every site that has that leader."""
        return (self.leader.sha256 if self.leader else self.sha256)[:CLUSTER_DIGITS]


CLUSTER_DIGITS = 12


class ShapeBand(models.Model):
    """One LSH band of a shape's signature. Two similar shapes share a key."""

    key = models.BigIntegerField()
    shape = models.ForeignKey(CodeShape, on_delete=models.CASCADE, related_name="bands", db_index=False)
    leads = models.BooleanField(default=False, help_text="the shape leads its cluster")

    class Meta:
        indexes = [
            models.Index(fields=["key", "shape"], name="band_key"),
            models.Index(fields=["key", "leads", "shape"], name="band_leaders"),
            models.Index(fields=["shape"], name="band_shape"),
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.shape_id}"
