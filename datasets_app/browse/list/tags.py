"""Tags: create, add to a sample, remove, rename, delete. For many samples at once: datasets_app.bulk."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from typing import Any

from django.db import IntegrityError, transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import require_tag
from datasets_app.accounts.roles import Scope
from datasets_app.db.uuids import among
from datasets_app.models import Sample, SampleTag, Tag, TagColour
from datasets_app.models.tag import LONGEST_NAME, NAME_PATTERN

NAME_RULE = (
    "A tag consists of letters and digits, with _ . / - in between, such as needs-look or hack/replay; "
    f"at most {LONGEST_NAME} characters."
)


class TagError(ValueError):
    """An invalid tag; the message says why and what to do."""


def find(name: str) -> Tag | None:
    """Return the tag of that name in any case. Text that cannot be a tag's name is not looked up."""
    name = name.strip()
    return Tag.objects.filter(name__iexact=name).first() if re.fullmatch(NAME_PATTERN, name) else None


def named(name: str) -> Tag:
    """Return the tag of that name. Raises TagError if there is none."""
    tag = find(name)
    if tag is None:
        raise TagError(f"There is no tag {name.strip()[:60]!r}.")
    return tag


@needs(Scope.ANNOTATE)
def named_or_new(actor: Actor, name: str, colour: str = "") -> Tag:
    """Return the tag of that name in any case. If there is none, create it, in `colour` or its default colour."""
    if tag := find(name):
        return tag
    try:
        return make(actor, name, colour)
    except TagError:
        if tag := find(name):  # created by somebody else meanwhile
            return tag
        raise


@needs(Scope.ANNOTATE)
def make(actor: Actor, name: str, colour: str = "") -> Tag:
    """Create a tag. Raises TagError for a name that is taken or invalid."""
    name = clean_name(name)
    tag = Tag(name=name, colour=clean_colour(colour) or usual_colour(name), created_by=actor.user)
    try:
        with transaction.atomic():
            tag.save()
            audit.record(actor, "tag.create", tag, name=tag.name, colour=tag.colour)
    except IntegrityError:
        raise TagError(f"There is already a tag {tag.name}.") from None
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
    """Return the default colour of a name, so that different tags usually differ in colour."""
    return TagColour.values[zlib.crc32(name.lower().encode()) % len(TagColour.values)]


@needs(Scope.ANNOTATE)
def change(actor: Actor, tag: Tag, *, name: str = "", colour: str = "") -> Tag:
    """Rename or recolour a tag for everybody; an empty value changes nothing. Raises TagError, PermissionDenied."""
    require_tag(actor, tag)
    had = tag.name
    tag.name = clean_name(name) if name else tag.name
    tag.colour = clean_colour(colour) if colour else tag.colour
    try:
        with transaction.atomic():
            tag.save()
            audit.record(actor, "tag.change", tag, was=had, name=tag.name, colour=tag.colour)
    except IntegrityError:
        raise TagError(f"There is already a tag {tag.name}.") from None
    return tag


@needs(Scope.ANNOTATE)
def delete(actor: Actor, tag: Tag) -> None:
    """Delete a tag and remove it from every sample; this cannot be undone. Raises PermissionDenied."""
    require_tag(actor, tag)
    with transaction.atomic():
        audit.record(actor, "tag.delete", tag, name=tag.name, samples=tag.sample_tags.count())
        tag.delete()


@needs(Scope.ANNOTATE)
def put_on(actor: Actor, sample: Sample, tag: Tag) -> None:
    with transaction.atomic():
        _, new = SampleTag.objects.get_or_create(sample=sample, tag=tag, defaults={"added_by": actor.user})
        if new:
            audit.record(actor, "sample.tag", sample, tag=tag.name)


@needs(Scope.ANNOTATE)
def take_off(actor: Actor, sample: Sample, tag: Tag) -> None:
    with transaction.atomic():
        gone, _ = SampleTag.objects.filter(sample=sample, tag=tag).delete()
        if gone:
            audit.record(actor, "sample.untag", sample, tag=tag.name)


def of_samples(ids: Iterable[Any]) -> dict[Any, list[Tag]]:
    """Return each sample's tags by name; one query."""
    by_sample: dict[Any, list[Tag]] = {}
    for row in SampleTag.objects.filter(sample__in=among(ids)).select_related("tag").order_by("tag__name"):
        by_sample.setdefault(row.sample_id, []).append(row.tag)
    return by_sample
