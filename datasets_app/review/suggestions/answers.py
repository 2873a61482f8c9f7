"""A reviewer takes or drops a suggestion. Taking a verdict fills the form; taking a span writes a note."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Sample, Suggestion, SuggestionAnswer, SuggestionKind, SuggestionReply
from datasets_app.review.notes import NoteError, Place, create_note
from datasets_app.review.submit import KeyReusedError
from datasets_app.review.suggestions.errors import SuggestionError

OFF = "Suggestions are switched off on this site."


@needs(Scope.ANNOTATE)
def take(sample: Sample, suggestion_id: uuid.UUID, actor: Actor) -> SuggestionAnswer:
    """Record that the reviewer takes a suggestion of this sample, which comes with its bodies. A span becomes a note.

    The same again changes nothing. Raises SuggestionError.
    """
    with transaction.atomic():
        answer = shown_answer(sample, suggestion_id, actor)
        suggestion = answer.suggestion
        if suggestion.withdrawn_at:
            raise SuggestionError(
                f"{suggestion.maker} {suggestion.version} withdrew this suggestion: nothing was taken."
            )
        if answer.reply in (SuggestionReply.TAKEN, SuggestionReply.OVERRULED):
            return answer
        if suggestion.kind == SuggestionKind.SPAN:
            write_note(sample, suggestion, actor)
        return replied(answer, SuggestionReply.TAKEN, sample, actor)


@needs(Scope.ANNOTATE)
def drop(sample: Sample, suggestion_id: uuid.UUID, actor: Actor) -> SuggestionAnswer:
    """Record that the reviewer drops a suggestion. Raises SuggestionError; a note that was written stays one."""
    with transaction.atomic():
        answer = shown_answer(sample, suggestion_id, actor)
        if answer.reply == SuggestionReply.DROPPED:
            return answer
        if answer.reply and answer.suggestion.kind == SuggestionKind.SPAN:
            raise SuggestionError("You took this one: withdraw its note on the sample's page instead.")
        return replied(answer, SuggestionReply.DROPPED, sample, actor)


def shown_answer(sample: Sample, suggestion_id: uuid.UUID, actor: Actor) -> SuggestionAnswer:
    """Return the reviewer's answer, locked. Raises SuggestionError for a suggestion that was never shown to them."""
    if not settings.SUGGESTIONS:
        raise SuggestionError(OFF)
    mine: Any = SuggestionAnswer.objects.select_for_update(no_key=True, of=("self",))
    answer: SuggestionAnswer | None = (
        mine.select_related("suggestion")
        .filter(suggestion=suggestion_id, suggestion__sample=sample, reviewer=actor.person())
        .first()
    )
    if answer is None:
        raise SuggestionError("This page has no such suggestion: reload it.")
    return answer


def replied(
    answer: SuggestionAnswer, reply: SuggestionReply, sample: Sample, actor: Actor
) -> SuggestionAnswer:
    answer.reply, answer.answered_at = reply, timezone.now()
    answer.save(update_fields=["reply", "answered_at"])
    verb = "suggestion.take" if reply == SuggestionReply.TAKEN else "suggestion.drop"
    suggestion = answer.suggestion
    audit.record(actor, verb, sample, suggestion=str(suggestion.pk), maker=suggestion.maker)
    return answer


def write_note(sample: Sample, suggestion: Suggestion, actor: Actor) -> None:
    """Write the note of a taken span, in the reviewer's name and with the suggestion's origin."""
    place = Place(suggestion.text, suggestion.start or 0, suggestion.end or 0, suggestion.digest)
    words = f"{suggestion.words} (suggested by {suggestion.maker} {suggestion.version})"
    key = uuid.uuid5(suggestion.pk, str(actor.person().pk))
    try:
        create_note(sample, actor, [place], suggestion.label, words, key)
    except (NoteError, KeyReusedError) as error:
        raise SuggestionError(str(error)) from error
