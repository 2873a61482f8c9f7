"""Adjudication: a curator decides a sample whose reviewers disagree, in a review that is kept beside their votes."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import GRANTS, Scope
from datasets_app.models import Review, Sample, SampleVerdict, SampleWithdrawal
from datasets_app.models.review import ReviewKind
from datasets_app.review.check import ReviewError, checked_fields
from datasets_app.review.rubric import current_rubric
from datasets_app.review.seen import Seen, changes_since
from datasets_app.review.submit import create, record_decision, same_submission


def disputed() -> QuerySet[Sample]:
    """Return the samples whose votes disagree or decide nothing, and which nobody has adjudicated; the longest
    undecided first."""
    votes = Review.objects.votes().order_by()
    several = (
        votes.values("sample").annotate(verdicts=Count("verdict", distinct=True)).filter(verdicts__gte=2)
    )
    newer = votes.filter(sample=OuterRef("sample"), reviewer=OuterRef("reviewer"), pk__gt=OuterRef("pk"))
    standing = votes.filter(~Exists(newer), sample__in=several.values("sample")).values("sample")
    apart = standing.annotate(verdicts=Count("verdict", distinct=True)).filter(verdicts__gte=2)
    decided = Review.objects.standing().filter(kind=ReviewKind.ADJUDICATION, sample=OuterRef("pk"))
    # By some policies even equal votes decide nothing. A union, because planners scan all samples for an OR.
    contested = Sample.objects.filter(verdict=SampleVerdict.CONTESTED).order_by().values("pk")
    samples = Sample.objects.in_use().filter(~Exists(decided), pk__in=apart.values("sample").union(contested))
    return samples.annotate(last_review=Max("reviews__pk")).order_by("last_review")


def disputed_for(actor: Actor) -> QuerySet[Sample]:
    """Return the disputed samples that nothing keeps the actor from deciding: without those that they voted on, unless
    they are the only one who could decide. A conflict on which every curator voted is on the list of all conflicts.
    """
    me = actor.person()
    if not others({me.pk}).exists():
        return disputed()
    return disputed().exclude(pk__in=Review.objects.votes().filter(reviewer=me).order_by().values("sample"))


def standing_votes(sample: Sample) -> list[Review]:
    """Return each reviewer's newest vote on the sample, the oldest first."""
    newest: dict[int, Review] = {}
    for review in Review.objects.votes().for_sample(sample.pk):
        newest.setdefault(review.reviewer_id, review)
    return sorted(newest.values(), key=lambda review: review.pk)


def obstacle(actor: Actor, sample: Sample, votes: list[Review]) -> str:
    """Return why the actor cannot adjudicate these votes, as a sentence; empty if they can.

    A voter may only decide where every account that could do it has voted.
    """
    if len({vote.verdict for vote in votes}) < 2 and sample.verdict != SampleVerdict.CONTESTED:
        return "The reviewers of this sample agree: there is nothing to adjudicate."
    if withdrawal := SampleWithdrawal.objects.hiding(sample):
        return f"{withdrawal.sentence} Nothing about it is decided until it is brought back."
    voters = {vote.reviewer_id for vote in votes}
    if any(actor.is_user(voter) for voter in voters) and others(voters).exists():
        return "You reviewed this sample yourself: another curator or administrator has to adjudicate it."
    return ""


def others(voters: set[int]) -> QuerySet[Any]:
    """Return the open accounts beside the voters whose role allows them to adjudicate."""
    roles = [role for role, scopes in GRANTS.items() if Scope.CURATE in scopes]
    accounts: Any = get_user_model().objects.filter(is_active=True).exclude(pk__in=voters)
    return accounts.filter(Q(is_superuser=True) | Q(groups__name__in=roles))


@needs(Scope.CURATE)
def adjudicate(
    sample: Sample,
    actor: Actor,
    verdict: str,
    comment: str,
    key: uuid.UUID | None = None,
    seen: Seen | None = None,
) -> Review:
    """Store an adjudication, which decides the sample's verdict. A repeated key stores nothing new.

    Raises PermissionDenied, ReviewError (invalid fields, or nothing that this actor may adjudicate), KeyReusedError and
    ChangedSinceError (`seen` is given and outdated).
    """
    adjudicator = actor.person()
    checked = checked_fields(sample, current_rubric(), verdict, {}, comment, (), adjudicates=True)
    fields = {**checked, "kind": ReviewKind.ADJUDICATION}
    if not fields["comment"]:
        raise ReviewError({"comment": "Say why: the reviewers will read it."})
    with transaction.atomic():
        locked = Sample.objects.select_for_update(no_key=True).get(pk=sample.pk)
        if earlier := Review.objects.filter(key=key).first() if key else None:
            return same_submission(earlier, locked, adjudicator, fields)
        if seen and (changed := changes_since(locked, actor, seen)):
            raise changed
        if sentence := obstacle(actor, locked, standing_votes(locked)):
            raise ReviewError({"sample": sentence})
        review = create(locked, adjudicator, key or uuid.uuid4(), fields)
        record_decision(locked)
        audit.record(actor, "review.adjudicate", sample, review=review.pk, verdict=review.verdict)
    return review
