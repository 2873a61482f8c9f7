"""Withdraws reviews: a withdrawn review stays stored and shown, with who, when and why, and counts nowhere."""

from __future__ import annotations

from django.db import transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import require_review
from datasets_app.accounts.roles import Scope
from datasets_app.models import Review, ReviewWithdrawal, Sample
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.review.check import ReviewError
from datasets_app.review.submit import record_decision
from datasets_app.text_input.validate import prose_fault


class ReviewWithdrawnError(ReviewError):
    """The review was withdrawn before, by somebody else or for another reason. Nothing was stored."""

    def __init__(self, withdrawal: ReviewWithdrawal) -> None:
        by, reason = withdrawal.withdrawn_by, withdrawal.reason
        super().__init__({"review": f"{by} withdrew this review: “{reason}”. Nothing was stored."})


@needs(Scope.ANNOTATE)
def withdraw_review(review: Review, actor: Actor, reason: str) -> ReviewWithdrawal:
    """Withdraw a review with a reason, and store what the sample's other reviews decide.

    The same person with the same reason again stores nothing new. Raises PermissionDenied, ReviewError (invalid reason)
    and ReviewWithdrawnError.
    """
    person = actor.person()
    require_review(actor, review.reviewer_id)
    reason = checked_reason(reason)
    with transaction.atomic():
        sample = Sample.objects.select_for_update(no_key=True).get(pk=review.sample_id)
        earlier = ReviewWithdrawal.objects.filter(review=review).select_related("withdrawn_by").first()
        if earlier:
            if (earlier.withdrawn_by_id, earlier.reason) == (person.pk, reason):
                return earlier
            raise ReviewWithdrawnError(earlier)
        withdrawal = ReviewWithdrawal.objects.create(review=review, withdrawn_by=person, reason=reason)
        record_decision(sample)
        audit.record(actor, "review.withdraw", sample, review=review.pk)
    return withdrawal


def checked_reason(reason: str) -> str:
    """Return the reason as it is stored. Raises ReviewError with a sentence."""
    reason = reason.replace("\r\n", "\n").strip()
    fault = prose_fault("The reason", reason, LONGEST_REASON)
    if not reason:
        fault = "The reason is empty: say why the review is withdrawn."
    if fault:
        raise ReviewError({"reason": fault})
    return reason
