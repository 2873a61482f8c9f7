"""Tests of what lies between two samples: the one ahead, undo, the timer's seconds, a reviewer's day."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from datasets_app import review
from datasets_app.models import Review, ReviewClaim, ReviewDraft, ReviewWithdrawal
from datasets_app.models.bounds import LONGEST_ACTIVE_S
from datasets_app.review.ahead import AHEAD_LASTS
from datasets_app.review.undo import UNDO_WITHIN
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return make_user("annotator", "ada")


@pytest.fixture
def ben():
    return make_user("annotator", "ben")


def me(client):
    return User.objects.get(pk=client.session["_auth_user_id"])


def form(client, sample):
    """Return the hidden fields of a sample's form, as its page carries them."""
    text = client.get(f"/review/{sample.pk}/").content.decode()
    return dict(
        re.findall(r'<input type="hidden" name="(key|seen|draft|reviewer|here)" value="([^"]*)"', text)
    )


def as_script(client, url, **fields):
    return client.post(url, fields, headers={"Accept": "application/json"})


# --- The sample ahead ------------------------------------------------------------------------------------


def test_the_sample_ahead_is_the_one_after_the_open_one_and_nobody_else_gets_it(ada, ben):
    here, following, third = make_sample(), make_sample(), make_sample()
    review.claim(here, acting(ada))
    assert review.sample_ahead(here, acting(ada)) == following
    assert review.next_sample(acting(ben)) == third


def test_two_pages_of_one_person_get_two_samples_ahead(ada):
    one, other = make_sample(), make_sample()
    three, four = make_sample(), make_sample()
    for sample in (one, other):
        review.claim(sample, acting(ada))
    assert {review.sample_ahead(one, acting(ada)), review.sample_ahead(other, acting(ada))} == {three, four}


def test_a_page_that_dies_holds_the_sample_ahead_for_minutes_only(ada, ben):
    here, following = make_sample(), make_sample()
    review.claim(here, acting(ada))
    review.sample_ahead(here, acting(ada))
    assert ReviewClaim.objects.get(sample=following).expires_at <= timezone.now() + AHEAD_LASTS
    ReviewClaim.objects.filter(sample=following).update(expires_at=timezone.now())
    assert review.next_sample(acting(ben)) == following


def test_releasing_frees_the_sample_ahead_but_not_one_that_was_opened_since(ada):
    here, following = make_sample(), make_sample()
    review.claim(here, acting(ada))
    for _ in range(2):
        assert review.sample_ahead(here, acting(ada)) == following
        review.release_ahead(following.pk, acting(ada))
    review.sample_ahead(here, acting(ada))
    review.claim(following, acting(ada))
    review.release_ahead(following.pk, acting(ada))
    assert ReviewClaim.objects.filter(sample=following).exists()


def test_nothing_is_ahead_of_the_last_sample_or_for_readers(ada):
    here = make_sample()
    assert review.sample_ahead(here, acting(ada)) is None
    with pytest.raises(PermissionDenied):
        review.sample_ahead(here, acting(make_user("reader")))


def test_the_page_ahead_is_the_samples_own_and_says_its_address(annotator):
    here, following = make_sample(), make_sample()
    annotator.get(f"/review/{here.pk}/")
    answer = annotator.post(f"/review/{here.pk}/ahead/?language=python")
    assert answer.headers["Content-Location"] == f"/review/{following.pk}/?language=python"
    assert f'action="/review/{following.pk}/?language=python"' in answer.content.decode()
    assert annotator.post(f"/review/{here.pk}/ahead/").status_code == 204  # held by the first page
    again = annotator.post(f"/review/{here.pk}/ahead/", {"instead": following.pk})
    assert again.headers["Content-Location"] == f"/review/{following.pk}/"
    annotator.post(f"/review/{following.pk}/ahead/release/")
    assert not ReviewClaim.objects.filter(sample=following).exists()


# --- Saving in the background ----------------------------------------------------------------------------


def test_a_script_that_shows_the_next_sample_is_told_what_has_changed(annotator):
    sample, _ = make_sample(), make_sample()
    fields = {**form(annotator, sample), "verdict": "fix", "active_s": "61"}
    answer = as_script(annotator, f"/review/{sample.pk}/", **fields, stay="1").json()
    stored = Review.objects.get()
    assert (stored.verdict, stored.active_s) == ("fix", 61)
    assert (answer["saved"], answer["next"], answer["position"]) == (True, "", "2 of 2")
    assert f"/reviews/{stored.pk}/undo/" in answer["last"]


def test_a_script_without_a_next_sample_is_given_its_address(annotator):
    sample, following = make_sample(), make_sample()
    fields = {**form(annotator, sample), "verdict": "fix"}
    answer = as_script(annotator, f"/review/{sample.pk}/", **fields)
    assert answer.json()["next"] == f"/review/{following.pk}/"
    assert as_script(annotator, f"/review/{following.pk}/skip/").json()["next"] == f"/review/{following.pk}/"


@pytest.mark.parametrize("part", ["", "draft/", "claim/", "skip/", "ahead/"])
def test_what_the_page_of_another_account_sends_is_refused(annotator, part):
    sample = make_sample()
    fields = {**form(annotator, sample), "verdict": "fix", "comment": "mine"}
    fields["reviewer"] = str(make_user("annotator").pk)
    before = ReviewClaim.objects.count()
    answer = as_script(annotator, f"/review/{sample.pk}/{part}", **fields)
    assert (answer.status_code, answer.json()["other"]) == (403, str(me(annotator)))
    assert not Review.objects.exists()
    assert not ReviewDraft.objects.exists()
    assert ReviewClaim.objects.count() == before


@pytest.mark.parametrize(
    ("sent", "stored"), [("", None), ("12", 12), ("-1", None), ("much", None), ("9" * 9, LONGEST_ACTIVE_S)]
)
def test_active_seconds_are_bounded_and_refuse_no_review(annotator, sent, stored):
    sample = make_sample()
    annotator.post(f"/review/{sample.pk}/", {**form(annotator, sample), "verdict": "fix", "active_s": sent})
    assert Review.objects.get().active_s == stored


def test_a_program_that_sends_impossible_seconds_is_told_so(ada):
    for seconds in (-1, LONGEST_ACTIVE_S + 1):
        with pytest.raises(review.ReviewError, match="from 0 to 86,400"):
            review.submit_review(make_sample(), acting(ada), "accept", active_s=seconds)


def test_the_same_review_sent_again_with_other_seconds_is_stored_once(ada):
    sample, key = make_sample(), uuid4()
    for seconds in (10, 25):
        stored = review.submit_review(sample, acting(ada), "accept", key=key, active_s=seconds)
    assert stored.active_s == 10
    assert Review.objects.count() == 1


# --- Undo ------------------------------------------------------------------------------------------------


def test_undo_withdraws_the_review_and_restores_what_was_typed_and_the_claim(ada):
    sample = make_sample()
    given = review.submit_review(sample, acting(ada), "fix", {"correctness": 4}, "mask the tail")
    review.undo_review(given, acting(ada))
    sample.refresh_from_db()
    assert sample.verdict == ""
    assert ReviewWithdrawal.objects.get().reason == "undone by its reviewer"
    assert ReviewDraft.objects.get().fields == {
        "verdict": "fix",
        "correctness": "4",
        "comment": "mask the tail",
        "rubric": "1",
    }
    assert ReviewClaim.objects.get().reviewer == ada


def test_undo_goes_several_steps_back_and_a_repeated_request_only_one(ada):
    one, two = (review.submit_review(make_sample(), acting(ada), "accept") for _ in range(2))
    for _ in range(2):
        review.undo_review(two, acting(ada))
    assert [row.review_id for row in ReviewWithdrawal.objects.all()] == [two.pk]
    review.undo_review(one, acting(ada))
    assert ReviewWithdrawal.objects.count() == 2


def test_only_ones_own_newest_review_is_undone_and_only_for_ten_minutes(ada, ben):
    older, newest = (review.submit_review(make_sample(), acting(ada), "accept") for _ in range(2))
    for given, who in ((older, ada), (newest, ben)):
        with pytest.raises(review.ReviewError, match="Only your newest"):
            review.undo_review(given, acting(who))
    Review.objects.update(created_at=timezone.now() - UNDO_WITHIN)
    newest.refresh_from_db()
    with pytest.raises(review.ReviewError, match="for 10 minutes"):
        review.undo_review(newest, acting(ada))
    assert not ReviewWithdrawal.objects.exists()


def test_undo_keeps_a_newer_draft_of_the_sample_beside_it(ada):
    sample = make_sample()
    given = review.submit_review(sample, acting(ada), "fix", comment="saved")
    review.save_draft(sample, acting(ada), {"comment": "typed since"})
    review.undo_review(given, acting(ada))
    draft = ReviewDraft.objects.get()
    assert draft.fields == {"comment": "typed since"}
    assert [text["fields"]["comment"] for text in draft.set_aside.values()] == ["saved"]


def test_the_page_left_by_undo_keeps_its_text_and_frees_its_sample(annotator):
    sample, here = make_sample(), make_sample()
    annotator.post(f"/review/{sample.pk}/", {**form(annotator, sample), "verdict": "fix"})
    fields = {**form(annotator, here), "comment": "half"}
    answer = annotator.post(f"/reviews/{Review.objects.get().pk}/undo/", fields)
    assert answer.url == f"/review/{sample.pk}/"
    assert ReviewDraft.objects.get(sample=here).fields == {"comment": "half", "rubric": "1"}
    assert not ReviewClaim.objects.filter(sample=here).exists()


def test_an_undo_that_comes_too_late_says_so_and_opens_the_review(annotator):
    sample = make_sample()
    annotator.post(f"/review/{sample.pk}/", {**form(annotator, sample), "verdict": "fix"})
    Review.objects.update(created_at=timezone.now() - timedelta(hours=1))
    answer = annotator.post(f"/reviews/{Review.objects.get().pk}/undo/", follow=True)
    assert "can be undone for 10 minutes" in answer.content.decode()
    assert "Saving replaces that" in answer.content.decode()


def test_the_review_of_somebody_else_is_not_found_by_undo(annotator, ben):
    given = review.submit_review(make_sample(), acting(ben), "accept")
    assert annotator.post(f"/reviews/{given.pk}/undo/").status_code == 404


# --- A day -----------------------------------------------------------------------------------------------


def test_a_day_counts_ones_own_samples_by_their_newest_verdict(ada, ben, django_assert_num_queries):
    twice = make_sample()
    review.submit_review(twice, acting(ada), "accept", active_s=500)
    review.submit_review(twice, acting(ada), "reject", active_s=30)
    review.submit_review(make_sample(), acting(ada), "accept", active_s=100)
    review.submit_review(make_sample(), acting(ada), "fix")
    review.submit_review(make_sample(), acting(ben), "fix", active_s=9)
    yesterday = review.submit_review(make_sample(), acting(ada), "fix", active_s=9)
    Review.objects.filter(pk=yesterday.pk).update(created_at=timezone.now() - timedelta(days=1))
    review.withdraw_review(review.submit_review(make_sample(), acting(ada), "fix"), acting(ada), "misread")
    with django_assert_num_queries(1):
        day = review.day_of(ada)
    assert (day.reviewed, day.accepted, day.to_fix, day.rejected) == (3, 1, 1, 1)
    assert day.median_words == "1:05"


def test_the_queue_page_shows_the_day_once_something_is_reviewed(annotator):
    assert "Your day" not in annotator.get("/review/").content.decode()
    review.submit_review(make_sample(), acting(me(annotator)), "accept", active_s=65)
    text = annotator.get("/review/").content.decode()
    assert "Your day" in text
    assert "<dd>1:05</dd>" in text
