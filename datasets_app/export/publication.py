"""Publish a release: who may read it, its description, yanking it with a reason, and what supersedes it.

None of this changes the frozen release: the facts are in a row of their own (datasets_app/models/publication.py). Its
card has them too, so the describing files are written again.
"""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.export import package
from datasets_app.models import JobState, Publication, Release, Visibility, WebhookEvent
from datasets_app.models.bounds import LONGEST_REASON, LONGEST_TEXT
from datasets_app.text_input.validate import prose_fault
from datasets_app.webhooks.events import record_release

MOST_READERS = 200


class PublicationError(ValueError):
    """A change that is refused; the message says what to do. `field` names the input."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@needs(Scope.CURATE)
def set_visibility(
    release: Release, visibility: str, readers: Collection[str] | None = None, *, actor: Actor
) -> Publication:
    """Decide who may read the release. `readers` are names of accounts, None keeps them. Raises PublicationError."""
    if visibility not in Visibility.values:
        choices = ", ".join(Visibility.values)
        raise PublicationError(
            "visibility", f"{visibility[:40]!r} is not a visibility; these are: {choices}."
        )
    people = None if readers is None else accounts_named(readers)
    with transaction.atomic():
        publication = stored(release)
        before, names = publication.visibility, reader_names(publication)
        publication.visibility = visibility
        publication.save(update_fields=["visibility"])
        if people is not None:
            publication.readers.set(people)
        after = reader_names(publication)
        if (before, names) != (visibility, after):
            facts = {"was": before, "visibility": visibility, "readers": after}
            audit.record(actor, "release.visibility", release, name=release.name, **facts)
        if publication.is_public and before != visibility and release.state == JobState.DONE:
            record_release(WebhookEvent.RELEASE_PUBLISHED, release)
    return publication


@needs(Scope.CURATE)
def yank(release: Release, reason: str, *, actor: Actor) -> Publication:
    """Mark the release as one not to use, and say why. Its files stay where they are. Raises PublicationError."""
    reason = reason.strip()
    if not reason:
        raise PublicationError("reason", "Say why it is yanked: whoever uses the release reads it.")
    if fault := prose_fault("The reason", reason, LONGEST_REASON):
        raise PublicationError("reason", fault)
    if release.state != JobState.DONE:
        raise PublicationError(
            "reason", f"Release {release.name} is {release.state}; only a finished one is yanked."
        )
    with transaction.atomic():
        publication = stored(release)
        if publication.is_yanked:
            raise PublicationError("reason", f"Release {release.name} is yanked already.")
        publication.yanked_at, publication.yanked_by = timezone.now(), actor.user
        publication.yank_reason = reason
        publication.save(update_fields=["yanked_at", "yanked_by", "yank_reason"])
        audit.record(actor, "release.yank", release, name=release.name, reason=reason)
        record_release(WebhookEvent.RELEASE_YANKED, release)
    describe_again(release)
    return publication


@needs(Scope.CURATE)
def unyank(release: Release, *, actor: Actor) -> Publication:
    """Take a yank back. Raises PublicationError if the release is not yanked."""
    with transaction.atomic():
        publication = stored(release)
        if not publication.is_yanked:
            raise PublicationError("reason", f"Release {release.name} is not yanked.")
        publication.yanked_at = publication.yanked_by = None
        publication.yank_reason = ""
        publication.save(update_fields=["yanked_at", "yanked_by", "yank_reason"])
        audit.record(actor, "release.unyank", release, name=release.name)
    describe_again(release)
    return publication


@needs(Scope.CURATE)
def supersede(release: Release, successor: str, *, actor: Actor) -> Publication:
    """Name the release to use instead; an empty name takes that back. Raises PublicationError."""
    newer = successor_named(release, successor) if successor else None
    with transaction.atomic():
        publication = stored(release)
        if publication.superseded_by == newer:
            return publication
        publication.superseded_by = newer
        publication.save(update_fields=["superseded_by"])
        audit.record(actor, "release.supersede", release, name=release.name, successor=successor or "none")
    describe_again(release)
    return publication


@needs(Scope.CURATE)
def describe(release: Release, description: str, *, actor: Actor) -> Publication:
    """Change what the page and the card say of the release, in Markdown. Raises PublicationError."""
    text = description.replace("\r\n", "\n").strip()
    if fault := prose_fault("The description", text, LONGEST_TEXT):
        raise PublicationError("description", fault)
    with transaction.atomic():
        publication = stored(release)
        if publication.prose == text:
            return publication
        before, publication.description = publication.prose, text
        publication.save(update_fields=["description"])
        audit.record(actor, "release.describe", release, name=release.name, was=before)
    describe_again(release)
    return publication


def successor_named(release: Release, name: str) -> Release:
    newer = Release.objects.filter(name=name, state=JobState.DONE).first()
    if newer is None:
        raise PublicationError("superseded_by", f"There is no finished release {name[:80]!r}.")
    seen = {release.pk}
    step: Release | None = newer
    while step is not None:
        if step.pk in seen:
            raise PublicationError(
                "superseded_by", f"{name} is itself superseded by {release.name}, or is the same."
            )
        seen.add(step.pk)
        row = Publication.objects.select_related("superseded_by").filter(release=step).first()
        step = row.superseded_by if row else None
    return newer


def stored(release: Release) -> Publication:
    """Return the release's row, made with the defaults if there is none, locked until the transaction ends."""
    Publication.objects.get_or_create(release=release)
    return Publication.objects.select_for_update(of=("self",)).get(release=release)


def reader_names(publication: Publication) -> list[str]:
    return list(publication.readers.order_by("username").values_list("username", flat=True))


def accounts_named(names: Collection[str]) -> list[User]:
    """Return the active accounts. Raises PublicationError with the names that there are not."""
    wanted = {name.strip() for name in names if name.strip()}
    if len(wanted) > MOST_READERS:
        raise PublicationError(
            "readers", f"At most {MOST_READERS} people can be named; make it readable by token."
        )
    people = {one.get_username(): one for one in User.objects.filter(username__in=wanted, is_active=True)}
    if missing := sorted(wanted - set(people)):
        raise PublicationError("readers", f"There is no active account {', '.join(missing)[:200]}.")
    return list(people.values())


def describe_again(release: Release) -> None:
    """Write the card and the lists of hashes again: the card has the description, a yank and a successor."""
    package.refresh(Release.objects.get(pk=release.pk))
