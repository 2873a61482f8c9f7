"""Tests of what several reviews decide, under each policy."""

from datetime import UTC, datetime, timedelta

import pytest

from datasets_app.models import Review
from datasets_app.models.verdict_policy import VerdictPolicy, decide

AT = datetime(2026, 1, 1, tzinfo=UTC)
BY_LETTER = {"a": "accept", "f": "fix", "r": "reject"}


def reviews_of(text):
    """Return the reviews of a line such as `1a 2r !3a` (reviewer, verdict; !: adjudication), the last one first."""
    made = [
        Review(
            pk=at,
            reviewer_id=int(word.strip("!")[0]),
            verdict=BY_LETTER[word[-1]],
            kind="adjudication" if word.startswith("!") else "vote",
            created_at=AT + timedelta(minutes=at),
        )
        for at, word in enumerate(text.split())
    ]
    for review in made:  # as a query that loads withdrawals leaves one without
        Review.withdrawal.related.set_cached_value(review, None)
    return made[::-1]


@pytest.mark.parametrize(
    ("reviews", "newest", "majority", "unanimous"),
    [
        ("1a", "accept", "accept", "accept"),
        ("1a 2a", "accept", "accept", "accept"),
        ("1a 2r", "reject", "contested", "contested"),
        ("1a 2a 3r", "reject", "accept", "contested"),
        ("1r 2a 3f", "fix", "contested", "contested"),
        ("1a 2a 3r 4r", "reject", "contested", "contested"),
        ("1r 2a 1a", "accept", "accept", "accept"),
        ("1a 2r 1a 1a", "accept", "contested", "contested"),
        ("1a 2r !3f", "fix", "fix", "fix"),
        ("1a 2r !3f 4r 5r", "fix", "fix", "fix"),
        ("1a 2r !3f !4a", "accept", "accept", "accept"),
        ("!3f", "fix", "fix", "fix"),
    ],
)
def test_each_policy_decides(reviews, newest, majority, unanimous):
    decided = [
        str(decide(reviews_of(reviews), VerdictPolicy(policy)).verdict)
        for policy in ("newest", "majority", "unanimous")
    ]
    assert decided == [newest, majority, unanimous]


def test_without_reviews_nothing_is_decided():
    decision = decide([], VerdictPolicy.MAJORITY)
    assert (decision.verdict, decision.words, decision.reviewed_at) == ("", "", None)


@pytest.mark.parametrize(
    ("reviews", "policy", "words"),
    [
        ("1a 2a 3r", "majority", "accepted by 2 of 3, majority"),
        ("1a 2r", "majority", "contested: 1 rejected, 1 accepted, no majority"),
        ("1a 2a 3r", "unanimous", "contested: 2 accepted, 1 rejected, not unanimous"),
        ("1a 2a", "unanimous", "accepted by 2 of 2, unanimous"),
        ("1a 2f", "newest", "marked for a fix by 1 of 2, newest review"),
        ("1a 2r !3f", "newest", "marked for a fix by adjudication (1 rejected, 1 accepted)"),
        ("!3f", "newest", "marked for a fix by adjudication (no other review)"),
    ],
)
def test_a_decision_is_said_in_words_with_its_votes(reviews, policy, words):
    assert decide(reviews_of(reviews), VerdictPolicy(policy)).words == words


def test_the_date_is_that_of_the_newest_review_whoever_decided():
    assert decide(reviews_of("1a !2a 3r"), VerdictPolicy.NEWEST).reviewed_at == AT + timedelta(minutes=2)


@pytest.mark.parametrize(
    ("reviews", "verdict", "words"),
    [
        ("1a 2a", "contested", "contested: 2 accepted, waits for an adjudication"),
        ("1a !2r", "reject", "rejected by adjudication (1 accepted)"),
    ],
)
def test_by_adjudication_only_votes_alone_decide_nothing(reviews, verdict, words):
    decision = decide(reviews_of(reviews), VerdictPolicy.ADJUDICATED)
    assert (decision.verdict, decision.words) == (verdict, words)


@pytest.mark.parametrize(
    ("reviews", "votes", "agreement"),
    [("1a 2a 3r", 3, 1 / 3), ("1a 2a", 2, 1.0), ("1a 2r !3r", 2, 0.5), ("!3f", 0, None)],
)
def test_agreement_is_the_share_of_votes_for_the_verdict(reviews, votes, agreement):
    columns = decide(reviews_of(reviews), VerdictPolicy.NEWEST).columns()
    assert (columns["votes"], columns["agreement"]) == (votes, agreement)
