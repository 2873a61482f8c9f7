"""Tags: make, put on a sample, take off, rename, delete. Over many samples at once: datasets_app.bulk."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction

from datasets_app import audit
from datasets_app.models import Sample, SampleTag, Tag, TagColour
from datasets_app.models.tag import LONGEST_NAME, NAME_PATTERN
from datasets_app.roles import Scope, may

NAME_RULE = (
    "A tag is letters, digits and _ . / - in between, such as needs-look or hack/replay; "
    f"at most {LONGEST_NAME} characters."
)


class TagError(ValueError):
    """A tag that cannot be; the message says what to do."""


def check_actor(actor: Any) -> None:
    if actor is not None and not may(actor, Scope.ANNOTATE):
        raise PermissionDenied(f"Tagging needs the right to {Scope.ANNOTATE}; ask an administrator for it.")


def find(name: str) -> Tag | None:
    return Tag.objects.filter(name__iexact=name.strip()).first()


def named(name: str) -> Tag:
    """Raises TagError where there is no such tag."""
    tag = find(name)
    if tag is None:
        raise TagError(f"There is no tag {name.strip()[:60]!r}.")
    return tag


def named_or_new(actor: Any, name: str, colour: str = "") -> Tag:
    """The tag of that name in whatever case; made in `colour` (for none, one of the set) where there is none yet."""
    check_actor(actor)
    return find(name) or make(actor, name, colour)


def make(actor: Any, name: str, colour: str = "") -> Tag:
    """Raises TagError for a name that is taken or none."""
    check_actor(actor)
    name = clean_name(name)
    tag = Tag(name=name, colour=clean_colour(colour) or usual_colour(name), created_by=actor)
    try:
        with transaction.atomic():
            tag.save()
            audit.record(actor, "tag.create", tag, name=tag.name, colour=tag.colour)
    except IntegrityError:
        raise TagError(f"There is a tag {tag.name} already.") from None
    return tag


def clean_name(name: str) -> str:
    if not re.fullmatch(NAME_PATTERN, name.strip()):
        raise TagError(f"{name.strip()[:60]!r} cannot be a tag. {NAME_RULE}")
    if name.strip().lower() == "none":
        raise TagError("none asks for samples without a tag; choose another name.")
    return name.strip()


def clean_colour(colour: str) -> str:
    if colour and colour not in TagColour.values:
        raise TagError(f"{colour[:40]!r} is not a tag's colour; choose from {', '.join(TagColour.values)}.")
    return colour


def usual_colour(name: str) -> str:
    """One of the set, always the same for a name: neighbours in a list look different without anyone choosing."""
    return TagColour.values[zlib.crc32(name.lower().encode()) % len(TagColour.values)]


def change(actor: Any, tag: Tag, *, name: str = "", colour: str = "") -> Tag:
    """Rename or recolour; what is empty stays. Raises TagError."""
    check_actor(actor)
    had = tag.name
    tag.name = clean_name(name) if name else tag.name
    tag.colour = clean_colour(colour) if colour else tag.colour
    try:
        with transaction.atomic():
            tag.save()
            audit.record(actor, "tag.change", tag, was=had, name=tag.name, colour=tag.colour)
    except IntegrityError:
        raise TagError(f"There is a tag {tag.name} already.") from None
    return tag


def delete(actor: Any, tag: Tag) -> None:
    """Take the tag off every sample and forget it. Curators only: it cannot be taken back."""
    if actor is not None and not may(actor, Scope.CURATE):
        raise PermissionDenied("Deleting a tag takes it off every sample; that needs the right to curate.")
    with transaction.atomic():
        audit.record(actor, "tag.delete", tag, name=tag.name, samples=tag.sample_tags.count())
        tag.delete()


def put_on(actor: Any, sample: Sample, tag: Tag) -> None:
    check_actor(actor)
    with transaction.atomic():
        _, new = SampleTag.objects.get_or_create(sample=sample, tag=tag, defaults={"added_by": actor})
        if new:
            audit.record(actor, "sample.tag", sample, tag=tag.name)


def take_off(actor: Any, sample: Sample, tag: Tag) -> None:
    check_actor(actor)
    with transaction.atomic():
        gone, _ = SampleTag.objects.filter(sample=sample, tag=tag).delete()
        if gone:
            audit.record(actor, "sample.untag", sample, tag=tag.name)


def of_samples(ids: Iterable[Any]) -> dict[Any, list[Tag]]:
    """Sample id to its tags by name; one query."""
    found: dict[Any, list[Tag]] = {}
    for row in SampleTag.objects.filter(sample__in=list(ids)).select_related("tag").order_by("tag__name"):
        found.setdefault(row.sample_id, []).append(row.tag)
    return found
