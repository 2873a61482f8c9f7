"""Takes a reviewer's newest review back: it is withdrawn, and its judgement is a draft again."""

from contextlib import suppress
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Review, ReviewWithdrawal
from datasets_app.review.check import ReviewError
from datasets_app.review.drafts import DraftConflictError, save_draft
from datasets_app.review.form import fields_of, typed_fields
from datasets_app.review.queue import claim
from datasets_app.review.slots import ClaimedError, NoSlotError
from datasets_app.review.submit import last_review
from datasets_app.review.withdraw import withdraw_review

UNDO_WITHIN = timedelta(minutes=10)
REASON = "undone by its reviewer"


def may_undo(review: Review | None) -> bool:
    """Return whether this review, its reviewer's newest one, is young enough to be taken back."""
    return review is not None and review.created_at >= timezone.now() - UNDO_WITHIN


@needs(Scope.ANNOTATE)
def undo_review(review: Review, actor: Actor) -> None:
    """Withdraw the actor's newest review, claim its sample again, and restore what was typed as its draft.

    The slot that the withdrawal frees is claimed in the same transaction, so that nobody takes it in between. The draft
    keeps the version of the rubric that the review was made under. A repeated request changes nothing. Raises
    ReviewError if the review is not the actor's newest one that stands, or too old: then a newer review can change it.
    """
    reviewer = actor.person()
    with transaction.atomic():
        if ReviewWithdrawal.objects.filter(review=review, withdrawn_by=reviewer, reason=REASON).exists():
            return
        newest = last_review(reviewer)
        if newest is None or newest.pk != review.pk:
            raise ReviewError({"review": "Only your newest review can be undone; change this one instead."})
        if not may_undo(review):
            minutes = int(UNDO_WITHIN.total_seconds() // 60)
            raise ReviewError(
                {"review": f"A review can be undone for {minutes} minutes; change this one instead."}
            )
        withdraw_review(review, actor, REASON)
        with suppress(DraftConflictError):  # another page has a newer draft: both texts are kept
            save_draft(review.sample, actor, typed_fields(fields_of(review)), seen=0)
        with suppress(ClaimedError, NoSlotError):  # the page says who has it, or how the queue changed
            claim(review.sample, actor)
