"""Tests that a review is withdrawn with a reason, stays visible, and counts nowhere."""

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from datasets_app import review
from datasets_app.accounts.actor import COMMAND
from datasets_app.accounts.people_list import people_page
from datasets_app.browse.query import parse_query
from datasets_app.maintenance import runs
from datasets_app.models import AuditEntry, MaintenanceKind, Review, ReviewWithdrawal
from datasets_app.models.append_only import AppendOnlyError
from datasets_app.review import notes
from datasets_app.review.adjudicate import adjudicate, disputed, standing_votes
from datasets_app.review.agreement.ratings import all_versions, read_ratings, stamp
from datasets_app.review.candidates import ReviewerQueue
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def sample():
    return make_sample()


def withdrawn(sample, actor, verdict="accept"):
    given = review.submit_review(sample, actor, verdict)
    review.withdraw_review(given, actor, "misread the loop")
    return given


def verdict_of(sample):
    sample.refresh_from_db()
    return sample.verdict


def test_a_withdrawal_is_stored_beside_the_review_and_audited(ada, sample):
    given = withdrawn(sample, ada)
    stored = Review.objects.get(pk=given.pk).withdrawal
    assert (stored.withdrawn_by, stored.reason) == (ada.user, "misread the loop")
    assert AuditEntry.objects.filter(action="review.withdraw", actor=ada.user).count() == 1
    with pytest.raises(AppendOnlyError):
        stored.delete()


def test_only_the_reviewer_or_a_curator_withdraws_a_review(ada, ben, sample):
    given = review.submit_review(sample, ada, "accept")
    with pytest.raises(PermissionDenied):
        review.withdraw_review(given, ben, "I disagree")
    review.withdraw_review(given, acting(make_user("curator", "cyd")), "a test account")
    assert verdict_of(sample) == ""


@pytest.mark.parametrize("reason", ["", "  \n", "x" * 1001])
def test_a_withdrawal_needs_a_reason_of_allowed_length(ada, sample, reason):
    given = review.submit_review(sample, ada, "accept")
    with pytest.raises(review.ReviewError, match="The reason"):
        review.withdraw_review(given, ada, reason)
    assert verdict_of(sample) == "accept"


def test_a_repeated_withdrawal_stores_nothing_new_and_another_one_is_refused(ada, sample):
    given = withdrawn(sample, ada)
    review.withdraw_review(given, ada, "misread the loop")
    with pytest.raises(review.ReviewWithdrawnError, match="ada withdrew this review: “misread the loop”"):
        review.withdraw_review(given, ada, "something else")
    assert ReviewWithdrawal.objects.count() == 1


def test_the_verdict_is_that_of_the_reviews_that_stand(ada, ben, sample):
    review.submit_review(sample, ada, "accept")
    withdrawn(sample, ben, "reject")
    assert verdict_of(sample) == "accept"
    assert sample.reviewed_at == Review.objects.get(reviewer=ada.user).created_at


def test_an_earlier_review_of_the_same_person_counts_again(ada, sample):
    review.submit_review(sample, ada, "accept")
    withdrawn(sample, ada, "reject")
    assert verdict_of(sample) == "accept"


def test_a_sample_whose_only_review_is_withdrawn_is_unreviewed(ada, sample):
    withdrawn(sample, ada)
    assert verdict_of(sample) == ""
    assert sample.reviewed_at is None
    assert list(parse_query("review:unreviewed").queryset()) == [sample]


def test_a_change_of_the_policy_counts_no_withdrawn_review(settings, ada, ben, sample):
    review.submit_review(sample, ada, "accept")
    review.submit_review(sample, ben, "accept")
    withdrawn(sample, acting(make_user("annotator", "cyd")), "reject")
    settings.VERDICT_POLICY = "unanimous"
    runs.run(runs.request(MaintenanceKind.VERDICTS, COMMAND, in_background=False).pk)
    assert verdict_of(sample) == "accept"


def test_agreement_reads_no_withdrawn_review_and_its_stamp_changes(ada, ben, sample):
    review.submit_review(sample, ada, "accept")
    given = review.submit_review(sample, ben, "reject")
    before = stamp(None)
    assert sample.pk in read_ratings(all_versions(), None)[0]["verdict"]
    review.withdraw_review(given, ben, "misread")
    assert stamp(None) != before
    assert sample.pk not in read_ratings(all_versions(), None)[0]["verdict"]


def test_a_dispute_ends_when_a_side_is_withdrawn_and_begins_again_without_its_adjudication(ada, ben, sample):
    review.submit_review(sample, ada, "accept")
    given = review.submit_review(sample, ben, "reject")
    curator = acting(make_user("curator", "cyd"))
    decision = adjudicate(sample, curator, "reject", "ben is right")
    assert not disputed()
    review.withdraw_review(decision, curator, "decided too early")
    assert list(disputed()) == [sample]
    review.withdraw_review(given, ben, "misread")
    assert not disputed()
    assert [vote.reviewer for vote in standing_votes(sample)] == [ada.user]
    assert verdict_of(sample) == "accept"


def test_the_queue_offers_the_sample_again_and_counts_it_nowhere(ada, sample):
    given = review.submit_review(sample, ada, "accept")
    assert ReviewerQueue.of(ada.user, None).counts()["mine"] == 1
    review.withdraw_review(given, ada, "misread")
    assert ReviewerQueue.of(ada.user, None).counts()["mine"] == 0
    progress = review.progress(ada.user)
    assert (review.day_of(ada.user).reviewed, progress.unreviewed) == (0, 1)
    assert review.next_sample(ada) == sample
    assert review.last_review(ada.user) is None


def test_the_list_of_people_counts_no_withdrawn_review(ada, sample):
    withdrawn(sample, ada)
    rows = {row.user: row.reviews for row in people_page("1")}
    assert rows[ada.user] == 0


def test_a_withdrawn_review_opens_no_blind_sample(settings, ada, ben, sample):
    settings.REVIEW_BLIND = True
    theirs = review.submit_review(sample, ben, "reject")
    notes.create_note(sample, ben, [notes.lines_place(sample, "kernel", 1)], "race")
    own = withdrawn(sample, ada)
    assert review.Judgements.of(sample).visible_to(ada.user, blind=True) == [own]
    assert list(review.readable_reviews(ada)) == [own]
    assert not notes.notes_of(sample, ada).threads
    review.submit_review(sample, ada, "accept")
    assert theirs in review.readable_reviews(ada)


def test_the_page_withdraws_a_review_and_shows_who_and_why(client, ada, sample):
    client.force_login(ada.user)
    given = review.submit_review(sample, ada, "reject", comment="The tail is lost.")
    address = reverse("review-withdraw", args=[given.pk])
    assert address in client.get(sample.get_absolute_url()).content.decode()
    assert "Why is it withdrawn?" in client.get(address).content.decode()
    assert client.post(address, {"reason": "it is <b>masked</b>"}).status_code == 302
    page = client.get(sample.get_absolute_url()).content.decode()
    assert "it is &lt;b&gt;masked&lt;/b&gt;" in page
    assert "The tail is lost." in page
    assert "Withdrawn by ada" in page
    assert address not in page


def test_a_refused_reason_comes_back_with_a_sentence(client, ada, sample):
    client.force_login(ada.user)
    given = review.submit_review(sample, ada, "reject")
    address = reverse("review-withdraw", args=[given.pk])
    long = client.post(address, {"reason": "word " * 300})
    assert long.status_code == 400
    assert "word word" in long.content.decode()
    review.withdraw_review(given, ada, "misread")
    late = client.post(address, {"reason": "my own words"})
    assert late.status_code == 409
    assert "my own words" in late.content.decode()


def test_a_program_withdraws_a_review_once(client, ada, sample):
    client.force_login(ada.user)
    given = review.submit_review(sample, ada, "reject")
    address = reverse("api-review-withdraw", args=[given.pk])
    for _ in range(2):
        response = client.post(address, {"reason": "misread"}, content_type="application/json")
        assert response.status_code == 200
        assert response.json()["withdrawal"]["withdrawn_by"] == "ada"
    other = client.post(address, {"reason": "again"}, content_type="application/json")
    assert other.status_code == 409
    assert client.post(address, {}, content_type="application/json").status_code == 400
    (row,) = client.get(reverse("api-reviews")).json()["results"]
    assert row["withdrawal"]["reason"] == "misread"


def test_reading_withdrawn_reviews_needs_no_query_for_each(
    client, ada, sample, django_assert_max_num_queries
):
    client.force_login(ada.user)
    for _ in range(3):
        withdrawn(sample, ada)
    with django_assert_max_num_queries(2):  # and the sample's queue
        rows = review.Judgements.of(sample).visible_to(ada.user)
        assert {row.withdrawal.withdrawn_by.username for row in rows if row.is_withdrawn} == {"ada"}
