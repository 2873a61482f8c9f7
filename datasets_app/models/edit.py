"""Edits: proposed changes to a sample's trace or kernel, which become samples only when the engine passed them.

A proposed text is no sample. It is kept here, apart from the samples' table, and the runs that test it belong to the
`EditVersion` and to no sample (see `models.verification`). So no list, facet, rule, release or export can read one:
there is no row in the tables that they read.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from datasets_app.models.append_only import AppendOnly
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.sample import Language, Sample
from datasets_app.models.sample_body import SampleBody

MOST_TURNS = 32_767


class EditState(models.TextChoices):
    OPEN = "open"
    ACCEPTED = "accepted"
    WITHDRAWN = "withdrawn"


class EditQuerySet(models.QuerySet["Edit"]):
    def for_list(self) -> EditQuerySet:
        """Load what a list shows, without texts."""
        return self.select_related("base__task", "author", "revision", "closed_by")

    def open(self) -> EditQuerySet:
        return self.filter(state=EditState.OPEN)

    def accepted(self) -> EditQuerySet:
        return self.filter(state=EditState.ACCEPTED)


class Edit(models.Model):
    """One proposal to change a sample's trace or kernel. Its texts are its versions; the newest one counts.

    Accepted, it has a revision: a sample, child of the base. The base is then superseded, which happens once.
    """

    base = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="edits")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="edits")
    reason = models.TextField(max_length=LONGEST_REASON)
    state = models.CharField(max_length=10, choices=EditState, default=EditState.OPEN)
    revision = models.OneToOneField(
        Sample, on_delete=models.PROTECT, null=True, blank=True, related_name="edit"
    )
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    key = models.UUIDField(
        unique=True, help_text="created with the form, so that a repeated submission is stored once"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = EditQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["state", "-created_at", "-id"], name="edit_newest")]
        constraints = [
            models.UniqueConstraint(
                fields=["base"], condition=Q(state="accepted"), name="edit_supersedes_once"
            ),
            models.CheckConstraint(
                name="edit_accepted_has_revision",
                condition=Q(state="accepted", revision__isnull=False)
                | (~Q(state="accepted") & Q(revision__isnull=True)),
            ),
            models.CheckConstraint(
                name="edit_closed_has_date",
                condition=Q(state="open", closed_at__isnull=True)
                | (~Q(state="open") & Q(closed_at__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return f"edit {self.pk} of {self.base_id} by {self.author_id}"

    def get_absolute_url(self) -> str:
        return reverse("edit", args=[self.pk])

    @property
    def is_open(self) -> bool:
        return self.state == EditState.OPEN


class EditVersion(AppendOnly):
    """The texts of an edit as its author sent them; a changed text is a further version."""

    edit = models.ForeignKey(Edit, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveSmallIntegerField()
    reasoning = models.TextField(blank=True)
    kernel_code = models.TextField()
    language = models.CharField(max_length=10, choices=Language)
    content_id = models.UUIDField(help_text="the id that a sample of these texts has: its reports carry it")
    kernel_changed = models.BooleanField(help_text="false: the trace alone differs from the base")
    trace_changed = models.BooleanField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["edit", "number"]
        constraints = [models.UniqueConstraint(fields=["edit", "number"], name="edit_version_once")]

    def __str__(self) -> str:
        return f"version {self.number} of edit {self.edit_id}"

    def as_sample(self) -> Sample:
        """Return the sample that this version would become, with its body, both unsaved.

        Source, licence and task are the base's. What its source claims was said of the base's kernel: it is kept only
        where that kernel is. The edit needs base__body, base__task__body and author.
        """
        edit, base = self.edit, self.edit.base
        claims: dict[str, Any] = {}
        if not self.kernel_changed:
            names = ("claimed_speedup", "claimed_correct", "claimed_device")
            claims = {name: getattr(base, name) for name in names}
        sample = Sample(
            id=self.content_id,
            task=base.task,
            source_id=base.source_id,
            generator=base.generator,
            sampling=base.sampling,
            language=self.language,
            parent=base,
            turn=min(base.turn + 1, MOST_TURNS),
            has_trace=bool(self.reasoning),
            kernel_bytes=len(self.kernel_code.encode()),
            **claims,
        )
        sample.body = SampleBody(
            sample=sample,
            reasoning=self.reasoning,
            kernel_code=self.kernel_code,
            extra={**base.body.extra, "edited_by": edit.author.get_username()},
        )
        return sample
