"""The inbox: mentions of a person and answers in their threads that they have not seen."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Greatest

from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import NoteEntry, NoteEntryKind, NoteRead
from datasets_app.review.notes.threads import readable_notes


def inbox_of(actor: Actor) -> QuerySet[NoteEntry]:
    """Return the entries that are for the actor and unseen, newest first, each with `names_me`: it mentions them.

    An entry is seen once the actor has marked it, or one after it in its thread, or has written one after it. What was
    withdrawn, and what the actor may not read yet in blind review, is left out.
    """
    me, same_note = actor.person(), NoteEntry.objects.order_by().filter(note=OuterRef("note"))
    mentions = NoteEntry.mentions.through.objects.order_by().filter(user=me)
    withdrawn = same_note.filter(kind=NoteEntryKind.WITHDRAW)
    withdrawn = withdrawn.filter(Q(target__isnull=True) | Q(target=OuterRef("pk")))
    read = NoteRead.objects.filter(reader=me, note=OuterRef("note"), number__gte=OuterRef("number"))
    rows = NoteEntry.objects.filter(
        Q(pk__in=mentions.values("noteentry")) | Q(kind=NoteEntryKind.ANSWER, note__author=me),
        ~Exists(same_note.filter(author=me, number__gt=OuterRef("number"))),
        ~Exists(withdrawn),
        ~Exists(read),
        note__in=readable_notes(actor).order_by().values("pk"),
    ).exclude(author=me)
    rows = rows.annotate(names_me=Exists(mentions.filter(noteentry=OuterRef("pk"))))
    return rows.select_related("author", "note__sample__task").order_by("-created_at", "-id")


@needs(Scope.READ)
def mark_seen(actor: Actor, entries: Collection[UUID]) -> int:
    """Mark these entries of the actor's inbox, and those before them in their threads, as seen; return how many of them
    were unseen. Others are ignored: they may have been seen on another page.
    """
    me = actor.person()
    with transaction.atomic():
        found = list(inbox_of(actor).filter(pk__in=entries).values_list("note", "number"))
        newest: dict[Any, int] = {}
        for note, number in found:
            newest[note] = max(number, newest.get(note, 0))
        for note, number in newest.items():
            row, is_new = NoteRead.objects.get_or_create(reader=me, note_id=note, defaults={"number": number})
            if not is_new:
                NoteRead.objects.filter(pk=row.pk).update(number=Greatest(F("number"), number))
    return len(found)
