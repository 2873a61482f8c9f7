"""Drafts: a reviewer's unsubmitted input for a sample, on any number of open pages.

A page sends the version of the draft that it has loaded. A text based on an older version never replaces a newer one of
another page: it is set aside beside the draft (`DraftConflictError`), and both are kept until the reviewer chooses or
discards one.
"""

import time
import uuid
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Review, ReviewDraft, Sample

MOST_SET_ASIDE = 10  # texts per reviewer and sample


class DraftConflictError(Exception):
    """The draft contains a newer text of another page. `kept`: the older text was set aside in `draft`."""

    def __init__(self, draft: ReviewDraft, kept: bool) -> None:
        super().__init__("Another page of yours saved a newer text for this sample.")
        self.draft = draft
        self.kept = kept


@needs(Scope.ANNOTATE)
def save_draft(
    sample: Sample,
    actor: Actor,
    fields: Mapping[str, str],
    key: uuid.UUID | None = None,
    seen: int | None = None,
) -> ReviewDraft | None:
    """Save the input and return the draft; None if the form `key` was submitted meanwhile.

    `seen` is the version that the form was opened with; None replaces any version. Raises DraftConflictError if another
    form has saved since.
    """
    reviewer, fields, kept = actor.person(), dict(fields), True
    with transaction.atomic():
        Sample.objects.select_for_update(no_key=True).only("pk").get(pk=sample.pk)
        if key and Review.objects.filter(key=key).exists():
            return None
        draft = draft_of(sample, reviewer) or ReviewDraft(sample=sample, reviewer=reviewer)
        conflict = seen is not None and is_newer(draft, fields, key, seen)
        if conflict:
            kept = set_aside(draft, fields, key)
        else:
            replace_text(draft, fields, key)
        draft.save()
    if conflict:
        raise DraftConflictError(draft, kept)
    return draft


def draft_of(sample: Sample, reviewer: Any) -> ReviewDraft | None:
    return ReviewDraft.objects.filter(sample=sample, reviewer=reviewer).first()


def is_newer(draft: ReviewDraft, fields: Mapping[str, str], key: uuid.UUID | None, seen: int) -> bool:
    """Return whether the draft contains a text that the form `key` has neither loaded nor written."""
    written_here = key is not None and draft.written_by == key
    return bool(draft.fields) and draft.version != seen and not written_here and draft.fields != fields


def replace_text(draft: ReviewDraft, fields: dict[str, str], key: uuid.UUID | None) -> None:
    """Replace the text. Versions keep increasing across the drafts of a sample, so that no page left open matches by
    chance.
    """
    draft.fields, draft.written_by, draft.skipped_at = fields, key, None
    draft.version = max(draft.version + 1, time.time_ns() // 1_000_000)
    draft.set_aside.pop(str(key), None)


def set_aside(draft: ReviewDraft, fields: dict[str, str], key: uuid.UUID | None) -> bool:
    """Store a text beside the draft, one per form. Return False if there was no room for it."""
    name = str(key or uuid.uuid4())
    if not fields:
        draft.set_aside.pop(name, None)
        return True
    if name not in draft.set_aside and len(draft.set_aside) >= MOST_SET_ASIDE:
        return False
    draft.set_aside[name] = {"fields": fields, "at": timezone.now().isoformat()}
    return True


@needs(Scope.ANNOTATE)
def use_text(sample: Sample, actor: Actor, name: str) -> bool:
    """Exchange the draft's text for one that was set aside. Return False if there is none of that name."""
    with transaction.atomic():
        draft = locked_draft(sample, actor.person())
        if draft is None or name not in draft.set_aside:
            return False
        earlier, writer = draft.fields, draft.written_by
        replace_text(draft, draft.set_aside.pop(name)["fields"], uuid.UUID(name))
        set_aside(draft, earlier, writer)
        draft.save()
    return True


@needs(Scope.ANNOTATE)
def discard_text(sample: Sample, actor: Actor, name: str) -> bool:
    """Delete a text that was set aside. Return False if there is none of that name."""
    with transaction.atomic():
        draft = locked_draft(sample, actor.person())
        if draft is None or draft.set_aside.pop(name, None) is None:
            return False
        save_or_delete(draft)
    return True


def close_draft(
    sample: Sample, reviewer: Any, key: uuid.UUID, fields: Mapping[str, str], seen: int | None
) -> None:
    """Remove the draft after a submission, but keep the texts of other pages that the form `key` did not contain.

    The caller holds the sample's lock, under which drafts are written.
    """
    mine = ReviewDraft.objects.filter(sample=sample, reviewer=reviewer)
    known = Q() if seen is None else Q(version=seen) | Q(written_by=key) | Q(fields={})
    if mine.filter(known, set_aside={}).delete()[0]:  # one query for nearly every submission
        return
    draft = locked_draft(sample, reviewer)
    if draft is None:
        return
    draft.set_aside.pop(str(key), None)
    if (
        seen is not None
        and is_newer(draft, fields, key, seen)
        and not set_aside(draft, draft.fields, draft.written_by)
    ):
        return  # no room for another: the newer text stays the draft
    draft.fields, draft.skipped_at = {}, None
    save_or_delete(draft)


def locked_draft(sample: Sample, reviewer: Any) -> ReviewDraft | None:
    return ReviewDraft.objects.select_for_update().filter(sample=sample, reviewer=reviewer).first()


def save_or_delete(draft: ReviewDraft) -> None:
    if draft.fields or draft.set_aside or draft.skipped_at:
        draft.save()
    else:
        draft.delete()
