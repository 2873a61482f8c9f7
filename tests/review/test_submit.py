"""Tests that a submission is stored once, counts at once, and overwrites nothing unseen by its author."""

from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied

from datasets_app import review
from datasets_app.models import AppendOnlyError, AuditEntry, Review, ReviewClaim, ReviewDraft
from tests.factories import acting, make_sample, make_user
from tests.verifications import verified

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return make_user("annotator", "ada")


@pytest.fixture
def ben():
    return make_user("annotator", "ben")


@pytest.fixture
def sample():
    return make_sample()


def verdict_of(sample):
    sample.refresh_from_db()
    return sample.verdict


def test_a_review_becomes_the_samples_verdict(sample, ada):
    stored = review.submit_review(sample, acting(ada), "fix", {"correctness": 4}, "  mask the tail\r\n")
    assert (verdict_of(sample), sample.reviewed_at) == ("fix", stored.created_at)
    assert (stored.rubric_id, stored.scores, stored.comment) == (1, {"correctness": 4}, "mask the tail")


def test_the_newest_review_counts_and_the_older_stays(sample, ada):
    review.submit_review(sample, acting(ada), "accept")
    review.submit_review(sample, acting(ada), "reject")
    assert verdict_of(sample) == "reject"
    assert [one.verdict for one in Review.objects.for_sample(sample.pk)] == ["reject", "accept"]


def test_a_submission_ends_claim_and_draft_and_is_in_the_log(sample, ada):
    review.claim(sample, acting(ada))
    review.save_draft(sample, acting(ada), {"comment": "half"})
    review.submit_review(sample, acting(ada), "accept")
    assert not ReviewClaim.objects.exists()
    assert not ReviewDraft.objects.exists()
    entry = AuditEntry.objects.get(action="review.submit")
    assert (entry.actor, entry.target_id, entry.detail["verdict"]) == (ada, str(sample.pk), "accept")


def test_the_same_key_with_the_same_content_stores_nothing_new(sample, ada):
    key = uuid4()
    first = review.submit_review(sample, acting(ada), "accept", {"correctness": 5}, "good", key)
    assert review.submit_review(sample, acting(ada), "accept", {"correctness": 5}, "good ", key) == first
    assert Review.objects.count() == 1


def test_the_same_key_is_found_again_even_when_the_sample_changed_since(sample, ada):
    key, seen = uuid4(), review.look(sample, ada)
    first = review.submit_review(sample, acting(ada), "accept", key=key, seen=seen)
    assert review.submit_review(sample, acting(ada), "accept", key=key, seen=seen) == first


def test_the_same_key_with_other_content_is_refused(sample, ada):
    key = uuid4()
    review.submit_review(sample, acting(ada), "accept", key=key)
    with pytest.raises(review.KeyReusedError):
        review.submit_review(sample, acting(ada), "reject", key=key)
    assert verdict_of(sample) == "accept"


def test_a_key_of_somebody_else_is_refused(sample, ada, ben):
    key = uuid4()
    review.submit_review(sample, acting(ada), "accept", key=key)
    with pytest.raises(review.KeyReusedError):
        review.submit_review(sample, acting(ben), "accept", key=key)


def test_a_review_that_came_in_since_stops_the_submission(sample, ada, ben):
    seen = review.look(sample, ada)
    newer = review.submit_review(sample, acting(ben), "reject")
    with pytest.raises(review.ChangedSinceError) as caught:
        review.submit_review(sample, acting(ada), "accept", seen=seen)
    assert (caught.value.reviews, caught.value.verified_again) == ([newer], False)
    assert verdict_of(sample) == "reject"


def test_a_verification_that_came_in_since_stops_the_submission(sample, ada):
    seen = review.look(sample, ada)
    verified(sample, "cheated")
    with pytest.raises(review.ChangedSinceError) as caught:
        review.submit_review(sample, acting(ada), "accept", seen=seen)
    assert (caught.value.reviews, caught.value.verified_again) == ([], True)


def test_having_seen_the_newer_one_lets_the_submission_through(sample, ada, ben):
    review.submit_review(sample, acting(ben), "reject")
    review.submit_review(sample, acting(ada), "accept", seen=review.look(sample, ada))
    assert verdict_of(sample) == "accept"


def test_what_was_seen_survives_its_way_through_a_form(sample, ada):
    verified(sample)
    seen = review.look(sample, ada, blind=True)
    assert review.Seen.parse(str(seen)) == seen


@pytest.mark.parametrize(
    "text", ["", "open", "open~x~", "shut~1~", "open~-1~", "open~²~", "open~" + "9" * 5000]
)
def test_a_made_up_seen_is_refused(text):
    with pytest.raises(review.ReviewError):
        review.Seen.parse(text)


def test_a_blind_reviewer_sees_and_meets_only_their_own(sample, ada, ben):
    seen = review.look(sample, ada, blind=True)
    review.submit_review(sample, acting(ben), "reject")
    assert not review.Judgements.of(sample).visible_to(ada, blind=True)
    review.submit_review(sample, acting(ada), "accept", seen=seen)
    assert len(review.Judgements.of(sample).visible_to(ada, blind=True)) == 2


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"verdict": "maybe"}, "verdict"),
        ({"verdict": ""}, "verdict"),
        ({"scores": {"correctness": 6}}, "correctness"),
        ({"scores": {"correctness": 0}}, "correctness"),
        ({"scores": {"correctness": "5"}}, "correctness"),
        ({"scores": {"correctness": True}}, "correctness"),
        ({"scores": {"beauty": 5}}, "beauty"),
        ({"comment": "x" * 20_001}, "comment"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_stored(sample, ada, fields, wrong):
    with pytest.raises(review.ReviewError) as caught:
        review.submit_review(sample, acting(ada), **{"verdict": "accept", **fields})
    assert list(caught.value.errors) == [wrong]
    assert not Review.objects.exists()


def test_a_trace_that_is_not_there_gets_no_score(ada):
    sample = make_sample(reasoning="")
    with pytest.raises(review.ReviewError, match="no trace"):
        review.submit_review(sample, acting(ada), "accept", {"trace_quality": 3})
    assert review.submit_review(
        sample, acting(ada), "accept", {"trace_quality": None, "correctness": 3}
    ).scores == {"correctness": 3}


@pytest.mark.parametrize("act", ["submit_review", "save_draft"])
def test_a_reader_may_not(sample, act):
    reader = make_user("reader")
    arguments = {"submit_review": ("accept",), "save_draft": ({},)}[act]
    with pytest.raises(PermissionDenied):
        getattr(review, act)(sample, acting(reader), *arguments)


def test_a_stored_review_cannot_be_changed_or_deleted(sample, ada):
    stored = review.submit_review(sample, acting(ada), "accept")
    stored.verdict = "reject"
    with pytest.raises(AppendOnlyError):
        stored.save()
    with pytest.raises(AppendOnlyError):
        stored.delete()


def test_a_draft_is_kept_and_replaced(sample, ada):
    review.save_draft(sample, acting(ada), {"comment": "a"})
    review.save_draft(sample, acting(ada), {"comment": "ab", "verdict": "fix"})
    assert ReviewDraft.objects.get().fields == {"comment": "ab", "verdict": "fix"}


def test_an_autosave_that_arrives_after_its_submission_keeps_nothing(sample, ada):
    key = uuid4()
    review.submit_review(sample, acting(ada), "accept", key=key)
    assert review.save_draft(sample, acting(ada), {"comment": "late"}, key) is None
    assert not ReviewDraft.objects.exists()
