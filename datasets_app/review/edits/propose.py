"""Stores edits and their versions. eval_app.request.edits calls this and requests the run in the same transaction."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Edit, EditVersion, Sample
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.review.edits.errors import EditChangedError, EditClosedError, EditError, SupersededError
from datasets_app.review.edits.texts import EditTexts, checked_texts
from datasets_app.review.edits.withdraw import require_author
from datasets_app.review.submit import KeyReusedError
from datasets_app.text_input.validate import prose_fault

MOST_OPEN = 20  # edits of one author
MOST_VERSIONS = 100


@needs(Scope.ANNOTATE)
def store_edit(
    base: Sample, actor: Actor, reasoning: str, kernel: str, reason: str, key: uuid.UUID | None = None
) -> EditVersion:
    """Store an edit with its first version. A repeated key with the same texts stores nothing new.

    `base` comes with_body(). Raises PermissionDenied, EditError (SupersededError if it has a revision) and
    KeyReusedError.
    """
    author, key = actor.person(), key or uuid.uuid4()
    with transaction.atomic():
        Sample.objects.select_for_update(no_key=True).get(pk=base.pk)
        if earlier := Edit.objects.filter(key=key).first():
            return same_edit(earlier, base, author, reasoning, kernel)
        refuse_superseded(base)
        reason = checked_reason(reason)
        texts = checked_texts(base, reasoning, kernel)
        if Edit.objects.open().filter(author=author).count() >= MOST_OPEN:
            sentence = f"You have {MOST_OPEN} open edits, as many as one may: withdraw one first."
            raise EditError({"edit": sentence})
        edit = Edit.objects.create(base=base, author=author, reason=reason, key=key)
        version = create_version(edit, 1, texts)
        audit.record(actor, "edit.propose", base, edit=edit.pk)
    return version


def same_edit(edit: Edit, base: Sample, author: Any, reasoning: str, kernel: str) -> EditVersion:
    """Return the stored version if the repeated key came with the same content; otherwise raise KeyReusedError."""
    version = edit.versions.get(number=1)
    texts = tuple(text.replace("\r\n", "\n").rstrip("\n") for text in (reasoning, kernel))
    stored = (version.reasoning.rstrip("\n"), version.kernel_code.rstrip("\n"))
    if (edit.base_id, edit.author_id) == (base.pk, author.pk) and stored == texts:
        return version
    raise KeyReusedError(f"The key {edit.key} was already used for an edit with other content.")


@needs(Scope.ANNOTATE)
def store_version(edit: Edit, actor: Actor, reasoning: str, kernel: str, seen: int) -> EditVersion:
    """Store a further version of one's own open edit; `seen` is the number of the version that the page showed.

    Raises PermissionDenied and EditError (EditClosedError, EditChangedError, SupersededError).
    """
    require_author(actor, edit)
    with transaction.atomic():
        locked = lock(edit)
        refuse_superseded(locked.base)
        newest = locked.versions.count()
        texts = checked_texts(Sample.objects.with_body().get(pk=locked.base_id), reasoning, kernel)
        if newest != seen:
            raise EditChangedError(newest)
        if newest >= MOST_VERSIONS:
            raise EditError(
                {"edit": f"This edit has {newest} versions, as many as one may: propose a new one."}
            )
        if locked.versions.get(number=newest).content_id == texts.content_id:
            raise EditError(
                {"kernel_code": f"Nothing is changed since version {newest}: edit it, then send it."}
            )
        version = create_version(locked, newest + 1, texts)
        audit.record(actor, "edit.change", locked.base, edit=edit.pk, version=version.number)
    return version


def lock(edit: Edit) -> Edit:
    """Return an open edit, its base locked first, as in every verb. Raises EditClosedError."""
    Sample.objects.select_for_update(no_key=True).get(pk=edit.base_id)
    rows = Edit.objects.select_for_update(no_key=True, of=("self",)).select_related("base", "author")
    locked = rows.get(pk=edit.pk)
    if not locked.is_open:
        raise EditClosedError(locked)
    return locked


def refuse_superseded(base: Sample) -> None:
    if accepted := Edit.objects.accepted().filter(base=base).first():
        raise SupersededError(accepted)


def create_version(edit: Edit, number: int, texts: EditTexts) -> EditVersion:
    return EditVersion.objects.create(
        edit=edit,
        number=number,
        reasoning=texts.reasoning,
        kernel_code=texts.kernel,
        language=texts.language,
        content_id=texts.content_id,
        kernel_changed=texts.kernel_changed,
        trace_changed=texts.trace_changed,
    )


def checked_reason(reason: str) -> str:
    """Return the reason as it is stored. Raises EditError with a sentence."""
    reason = reason.replace("\r\n", "\n").strip()
    fault = prose_fault("The reason", reason, LONGEST_REASON)
    if not reason:
        fault = "The reason is empty: say what the edit corrects."
    if fault:
        raise EditError({"reason": fault})
    return reason
