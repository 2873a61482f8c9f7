"""Releases, their rows and their files. The models refuse to change a finished release."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.urls import reverse

from datasets_app.models.bounds import LONGEST_TEXT, LONGEST_TITLE
from datasets_app.models.job import Job, JobState
from datasets_app.models.recipe import Recipe
from datasets_app.models.sample import Sample
from datasets_app.models.verification import Verification

ARCHIVE = "zip"  # the format of the archive of all other files


class FrozenError(ValidationError):
    """A finished release was about to be changed."""

    def __init__(self, release: object) -> None:
        super().__init__(f"Release {release} is frozen. Make a new release instead; this one stays as it is.")


class Split(models.TextChoices):
    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


class ReleaseQuerySet(models.QuerySet["Release"]):
    def ready(self) -> ReleaseQuerySet:
        return self.filter(state="done")


class FreezingReleases(ReleaseQuerySet):
    """Refuses bulk updates and deletions of finished releases, which bypass `save`."""

    def update(self, **fields: Any) -> int:
        refuse_if_frozen(self)
        return super().update(**fields)

    def delete(self) -> tuple[int, dict[str, int]]:
        refuse_if_frozen(self)
        return super().delete()


class FreezingRows(models.QuerySet["ReleaseRow"]):
    def update(self, **fields: Any) -> int:
        refuse_if_frozen(Release._default_manager.filter(pk__in=self.order_by().values("release_id")))
        return super().update(**fields)

    def delete(self) -> tuple[int, dict[str, int]]:
        refuse_if_frozen(Release._default_manager.filter(pk__in=self.order_by().values("release_id")))
        return super().delete()

    def bulk_create(self, objs: Iterable[Any], *args: Any, **options: Any) -> list[Any]:
        rows = list(objs)
        refuse_if_frozen(Release._default_manager.filter(pk__in={row.release_id for row in rows}))
        return super().bulk_create(rows, *args, **options)


def refuse_if_frozen(releases: models.QuerySet[Release]) -> None:
    frozen = releases.filter(state=JobState.DONE).first()
    if frozen is not None:
        raise FrozenError(frozen)


class Release(Job):
    """A frozen recipe: the chosen rows, their splits and all counts. Immutable once done."""

    name = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=LONGEST_TITLE, blank=True)
    notes = models.TextField(blank=True, max_length=LONGEST_TEXT)
    recipe = models.ForeignKey(
        Recipe, on_delete=models.SET_NULL, null=True, blank=True, related_name="releases"
    )
    recipe_name = models.CharField(max_length=80)
    recipe_version = models.PositiveIntegerField(
        null=True, blank=True, help_text="of the recipe; null: the definition was no stored recipe's"
    )
    definition = models.JSONField(help_text="the recipe's definition as it was")
    device = models.CharField(
        max_length=120,
        blank=True,
        help_text="device of all rows' evidence; empty until frozen, or on a site without evidence",
    )
    funnel = models.JSONField(
        default=list, blank=True, help_text="one record per rule: rows in, rows out, rows dropped"
    )
    split_counts = models.JSONField(default=dict, blank=True)
    split_report = models.JSONField(
        default=dict, blank=True, help_text="what was kept together, groups, and leaks; empty: one split"
    )
    counts = models.JSONField(
        default=dict, blank=True, help_text="rows by kind, language, source, licence and more"
    )
    row_count = models.PositiveIntegerField(default=0)
    task_count = models.PositiveIntegerField(default=0)
    rows_written = models.PositiveIntegerField(default=0, help_text="progress of the freeze")
    content_sha256 = models.CharField(
        max_length=64, blank=True, help_text="over ids, splits and row snapshots in order"
    )
    versions = models.JSONField(
        default=dict, blank=True, help_text="site, tokenizer, engines that the evidence came from"
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)

    objects = FreezingReleases.as_manager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["-created_at", "-id"], name="release_newest")]
        constraints = [
            models.CheckConstraint(
                name="release_done_has_hash",
                condition=(Q(state="done") & ~Q(content_sha256="")) | ~Q(state="done"),
            )
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("release", args=[self.name])

    def save(self, *args: Any, **options: Any) -> None:
        if self.pk is not None:
            refuse_if_frozen(type(self)._default_manager.filter(pk=self.pk))
        super().save(*args, **options)

    def delete(self, *args: Any, **options: Any) -> tuple[int, dict[str, int]]:
        refuse_if_frozen(type(self)._default_manager.filter(pk=self.pk))
        return super().delete(*args, **options)

    @property
    def splits(self) -> list[tuple[str, int]]:
        """Rows per split that has any, in the order train, validation, test."""
        return [(split, self.split_counts[split]) for split in Split.values if self.split_counts.get(split)]

    def counted(self, what: str) -> list[tuple[str, int]]:
        """Return rows per kind, language and the like, the largest first: a database may not keep the order of keys."""
        return sorted(self.counts.get(what, {}).items(), key=lambda item: (-item[1], item[0]))

    @property
    def decontamination(self) -> list[dict[str, Any]]:
        """Return what each rule that compares with a benchmark dropped and why: its sentence, counts, and tasks."""
        steps = enumerate(self.funnel, 1)
        return [
            {"rule": number, "sentence": step["sentence"], **step["matches"]}
            for number, step in steps
            if "matches" in step
        ]

    @property
    def hub_id(self) -> str:
        """The name to pass to `datasets.load_dataset`."""
        return f"{settings.HUB_NAMESPACE}/{self.name}"


class ReleaseRow(models.Model):
    """One chosen sample, with a snapshot of its facts at the freeze."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="rows")
    position = models.PositiveIntegerField(help_text="0-based; the rows of a split are contiguous")
    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="release_rows")
    split = models.CharField(max_length=10, choices=Split)
    reason = models.CharField(max_length=80, blank=True, help_text="the rule that chose it")
    verification = models.ForeignKey(
        Verification,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="release_rows",
        help_text="the verification that the snapshot's evidence rests on; null: none on the release's device",
    )
    snapshot = models.JSONField(help_text="the facts of datasets_app.export.columns as frozen")

    objects = FreezingRows.as_manager()

    class Meta:
        ordering = ["release", "position"]
        constraints = [
            models.UniqueConstraint(fields=["release", "sample"], name="release_sample_once"),
            models.UniqueConstraint(fields=["release", "position"], name="release_position_once"),
        ]

    def __str__(self) -> str:
        return f"{self.release_id}[{self.position}]"

    def save(self, *args: Any, **options: Any) -> None:
        refuse_if_frozen(Release._default_manager.filter(pk=self.release_id))
        super().save(*args, **options)

    def delete(self, *args: Any, **options: Any) -> tuple[int, dict[str, int]]:
        refuse_if_frozen(Release._default_manager.filter(pk=self.release_id))
        return super().delete(*args, **options)


class ExportQuerySet(models.QuerySet["Export"]):
    def of_rows(self) -> ExportQuerySet:
        """Leave out the files that describe the release, and its archive."""
        return self.exclude(split="")

    def in_package(self) -> ExportQuerySet:
        """Leave out the archive, which holds the others."""
        return self.exclude(format=ARCHIVE)


class Export(Job):
    """One file of a release in one format."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="exports")
    format = models.CharField(
        max_length=20, help_text="a name of datasets_app.export.formats, 'card' or 'zip'"
    )
    path = models.CharField(
        max_length=200, help_text="inside the release's folder, such as data/train-00000-of-00001.parquet"
    )
    options = models.JSONField(
        default=dict, blank=True, help_text="of the format, those that are not the default"
    )
    split = models.CharField(max_length=10, choices=Split, blank=True, help_text="empty: not rows")
    first_position = models.PositiveIntegerField(default=0, help_text="of the release's rows")
    row_count = models.PositiveIntegerField(default=0)
    record_count = models.PositiveIntegerField(
        null=True, blank=True, help_text="what the format made of the rows; null: not written yet"
    )
    rows_written = models.PositiveIntegerField(default=0, help_text="progress")
    size_bytes = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    crc32 = models.PositiveBigIntegerField(default=0, help_text="for the archive; of the archive itself: 0")

    objects = ExportQuerySet.as_manager()

    class Meta:
        ordering = ["release", "path"]
        constraints = [
            models.UniqueConstraint(fields=["release", "path"], name="export_path_once"),
            models.CheckConstraint(
                name="export_done_has_hash",
                condition=(Q(state="done") & ~Q(sha256="")) | ~Q(state="done"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release_id}/{self.path}"

    @property
    def records(self) -> int:
        """Return the number of lines or rows in the file: before it is written, that of the rows that it is made of."""
        return self.row_count if self.record_count is None else self.record_count
