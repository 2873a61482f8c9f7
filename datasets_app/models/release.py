from django.conf import settings
from django.db import models
from django.urls import reverse

from datasets_app.models.job import Job
from datasets_app.models.recipe import Recipe
from datasets_app.models.sample import Sample
from datasets_app.querysets import ReleaseQuerySet


class Split(models.TextChoices):
    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


class Release(Job):
    """A recipe frozen: the chosen rows, their splits, every count on the way. Immutable once it is done."""

    name = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200, blank=True)
    notes = models.TextField(blank=True)
    recipe = models.ForeignKey(Recipe, on_delete=models.SET_NULL, null=True, related_name="releases")
    recipe_name = models.CharField(max_length=80)
    definition = models.JSONField(help_text="the recipe's definition as it was")
    funnel = models.JSONField(
        default=list, help_text="one record a rule: rows in, rows out, what was dropped"
    )
    split_counts = models.JSONField(default=dict)
    row_count = models.PositiveIntegerField(default=0)
    content_sha256 = models.CharField(
        max_length=64, blank=True, help_text="over ids, splits and row snapshots in order"
    )
    versions = models.JSONField(
        default=dict, help_text="site, tokenizer, engines that the evidence came from"
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)

    objects = ReleaseQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("release", args=[self.name])


class ReleaseRow(models.Model):
    """One chosen sample, with what was known of it when the release was frozen."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="rows")
    position = models.PositiveIntegerField()
    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="release_rows")
    split = models.CharField(max_length=10, choices=Split)
    reason = models.CharField(max_length=80, blank=True, help_text="the rule that chose it")
    snapshot = models.JSONField(help_text="speedup, outcome, device, verdict, trace length as frozen")

    class Meta:
        ordering = ["release", "position"]
        constraints = [
            models.UniqueConstraint(fields=["release", "sample"], name="release_sample_once"),
            models.UniqueConstraint(fields=["release", "position"], name="release_position_once"),
        ]

    def __str__(self) -> str:
        return f"{self.release_id}[{self.position}]"


class Export(Job):
    """One file of a release in one format."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="exports")
    format = models.CharField(max_length=20)
    path = models.CharField(
        max_length=200, help_text="inside the release's folder, such as data/train.parquet"
    )
    split = models.CharField(max_length=10, choices=Split)
    row_count = models.PositiveIntegerField(default=0)
    rows_written = models.PositiveIntegerField(default=0, help_text="progress")
    size_bytes = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["release", "path"]
        constraints = [models.UniqueConstraint(fields=["release", "path"], name="export_path_once")]

    def __str__(self) -> str:
        return f"{self.release_id}/{self.path}"
