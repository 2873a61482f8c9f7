"""What may change beside a frozen release: who may read it, its description, a yank, and what supersedes it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from datasets_app.models.bounds import LONGEST_REASON, LONGEST_TEXT
from datasets_app.models.release import Release


class Visibility(models.TextChoices):
    PUBLIC = "public", "public"
    TOKEN = "token", "by token"
    PRIVATE = "private", "private"


# Who may read a release of each visibility, for pages, REST and the card.
READERS = {
    Visibility.PUBLIC: "Everybody reads it, without an account or a token.",
    Visibility.TOKEN: "Every account reads it: people signed in, programs by token.",
    Visibility.PRIVATE: "Its creator, curators and the people named here read it.",
}


class Publication(models.Model):
    """How a release is published. The release itself never changes; this row may. Without one, the defaults hold."""

    release = models.OneToOneField(Release, on_delete=models.CASCADE, related_name="stored_publication")
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.TOKEN)
    readers = models.ManyToManyField(
        settings.AUTH_USER_MODEL,
        blank=True,
        related_name="readable_releases",
        help_text="who may read it while it is private, besides its creator and curators",
    )
    yanked_at = models.DateTimeField(null=True, blank=True)
    yanked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    yank_reason = models.TextField(blank=True, max_length=LONGEST_REASON)
    description = models.TextField(  # noqa: DJ001 (an empty description is one too)
        null=True,
        blank=True,
        max_length=LONGEST_TEXT,
        help_text="what the card says of the release; null: the notes with which it was frozen",
    )
    superseded_by = models.ForeignKey(
        Release, on_delete=models.SET_NULL, null=True, blank=True, related_name="supersedes"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="publication_yank_has_reason",
                condition=(Q(yanked_at__isnull=True) & Q(yank_reason=""))
                | (Q(yanked_at__isnull=False) & ~Q(yank_reason="")),
            ),
            models.CheckConstraint(
                name="publication_not_superseded_by_itself",
                condition=Q(superseded_by__isnull=True) | ~Q(superseded_by=models.F("release")),
            ),
        ]

    def __str__(self) -> str:
        return f"publication of release {self.release_id}"

    @classmethod
    def of(cls, release: Release) -> Publication:
        """Return the release's publication as stored, or with the defaults, unsaved."""
        stored: Publication | None = getattr(release, "stored_publication", None)
        return stored or cls(release=release)

    @property
    def prose(self) -> str:
        """Return what the page and the card say of the release."""
        return self.release.notes if self.description is None else self.description

    @property
    def is_public(self) -> bool:
        return self.visibility == Visibility.PUBLIC

    @property
    def is_yanked(self) -> bool:
        return self.yanked_at is not None

    @property
    def readers_sentence(self) -> str:
        return READERS[Visibility(self.visibility)]
