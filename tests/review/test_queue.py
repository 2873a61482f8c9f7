"""Tests that the queue gives each sample to one person, unreviewed ones first, and waits for nobody."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from datasets_app import review
from datasets_app.browse.query import BrowseFilter
from datasets_app.browse.query.sets import Bounds
from datasets_app.models import AuditEntry, ReviewClaim, ReviewDraft
from datasets_app.review.queue import CLAIM_LASTS
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return make_user("annotator", "ada")


@pytest.fixture
def ben():
    return make_user("annotator", "ben")


def test_the_oldest_unjudged_sample_comes_first(ada):
    first, _ = make_sample(), make_sample()
    assert review.next_sample(acting(ada)) == first


def test_two_reviewers_get_two_samples(ada, ben):
    first, second = make_sample(), make_sample()
    assert (review.next_sample(acting(ada)), review.next_sample(acting(ben))) == (first, second)


def test_a_sample_that_is_open_comes_back_to_the_one_who_opened_it(ada):
    first, _ = make_sample(), make_sample()
    review.next_sample(acting(ada))
    assert review.next_sample(acting(ada)) == first


def test_nothing_is_left_when_others_hold_the_rest(ada, ben):
    make_sample()
    review.next_sample(acting(ada))
    assert review.next_sample(acting(ben)) is None


def test_a_claim_that_ran_out_is_handed_to_the_next(ada, ben):
    sample = make_sample()
    review.claim(sample, acting(ada))
    ReviewClaim.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert review.next_sample(acting(ben)) == sample
    with pytest.raises(review.ClaimedError, match="ben is reviewing"):
        review.claim(sample, acting(ada))


def test_a_sign_of_life_makes_a_claim_last_longer(ada):
    sample = make_sample()
    review.claim(sample, acting(ada))
    ReviewClaim.objects.update(expires_at=timezone.now() + timedelta(seconds=1))
    review.claim(sample, acting(ada))
    left = ReviewClaim.objects.get().expires_at - timezone.now()
    assert CLAIM_LASTS - timedelta(seconds=30) < left <= CLAIM_LASTS


def test_releasing_frees_only_ones_own_claim(ada, ben):
    sample = make_sample()
    review.claim(sample, acting(ada))
    review.release_claim(sample, acting(ben))
    assert ReviewClaim.objects.filter(reviewer=ada).exists()
    review.release_claim(sample, acting(ada))
    assert not ReviewClaim.objects.exists()


def test_what_others_judged_comes_after_what_nobody_did(ada, ben):
    judged, unjudged = make_sample(), make_sample()
    review.submit_review(judged, acting(ben), "accept")
    assert review.next_sample(acting(ada)) == unjudged
    review.submit_review(unjudged, acting(ada), "accept")
    assert review.next_sample(acting(ada)) == judged


def test_what_one_judged_oneself_does_not_come_back(ada):
    review.submit_review(make_sample(), acting(ada), "accept")
    assert review.next_sample(acting(ada)) is None


def test_a_skipped_sample_comes_last_and_is_free_for_others(ada, ben):
    skipped, other = make_sample(), make_sample()
    review.claim(skipped, acting(ada))
    review.skip(skipped, acting(ada))
    assert review.next_sample(acting(ada)) == other
    assert review.next_sample(acting(ben)) == skipped
    assert AuditEntry.objects.filter(action="review.skip").count() == 1


def test_a_skipped_sample_is_handed_out_when_nothing_else_is_left(ada):
    sample = make_sample()
    review.skip(sample, acting(ada))
    assert review.next_sample(acting(ada)) == sample


def test_skipping_keeps_the_draft(ada):
    sample = make_sample()
    review.save_draft(sample, acting(ada), {"comment": "an hour of writing"})
    review.skip(sample, acting(ada))
    assert ReviewDraft.objects.get().fields == {"comment": "an hour of writing"}


def test_a_filter_limits_the_queue(ada):
    make_sample()
    passed = make_sample(outcome="passed", verified_at=timezone.now())

    chosen = BrowseFilter.from_querystring("outcome=passed")
    assert review.next_sample(acting(ada), chosen) == passed
    assert review.progress(ada, chosen).total == 1


def test_a_search_that_was_cut_short_hides_nobody_s_next_sample(ada, monkeypatch):
    for _ in range(4):
        make_sample(reasoning="use a warp shuffle")
    monkeypatch.setattr("datasets_app.browse.query.sets.HASTY", Bounds(2, 9))
    chosen = BrowseFilter.from_querystring("q=shuffle")
    assert review.progress(ada, chosen).at_least
    judged = set()
    while sample := review.next_sample(acting(ada), chosen):
        review.submit_review(sample, acting(ada), "accept")
        judged.add(sample.pk)
    assert len(judged) == 4


def test_what_others_judged_longest_ago_comes_first(ada, ben):
    samples = [make_sample() for _ in range(3)]
    for sample in (samples[2], samples[0], samples[1]):
        review.submit_review(sample, acting(ben), "accept")
    assert review.next_sample(acting(ada)) == samples[2]


def test_a_reader_gets_no_sample():
    make_sample()
    with pytest.raises(PermissionDenied):
        review.next_sample(acting(make_user("reader")))


def test_progress_counts_what_waits_and_what_is_done(ada, ben):
    one, two, _ = make_sample(), make_sample(), make_sample()
    review.submit_review(one, acting(ada), "accept")
    review.submit_review(one, acting(ada), "fix")
    review.submit_review(two, acting(ben), "reject")
    found = review.progress(ada)
    assert (found.total, found.unreviewed, found.mine) == (3, 1, 1)
    assert (found.waiting, found.position) == (2, 2)


def test_taking_the_next_sample_costs_the_same_however_many_wait(ada, django_assert_num_queries):
    for _ in range(30):
        make_sample()
    with django_assert_num_queries(17) as queries:
        review.next_sample(acting(ada))
    assert not any("datasets_app_samplebody" in query["sql"] for query in queries.captured_queries)
