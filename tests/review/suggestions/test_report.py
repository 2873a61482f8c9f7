"""Tests of the comparison of makers with people: hand-counted numbers, who sees it, and what the page says."""

import pytest

from datasets_app import review
from datasets_app.models import Sample
from datasets_app.review import suggestions
from tests.browser.states.cast import verify
from tests.factories import acting, make_sample, make_user
from tests.verify import reports

pytestmark = pytest.mark.django_db
PAGE, API = "/analysis/suggestions/", "/api/v1/suggestions/agreement/"


def suggested(verdict, sample=None):
    sample = sample or make_sample()
    row = {"sample": str(sample.pk), "verdict": verdict, "words": "why"}
    program = acting(make_user("annotator"))
    suggestions.post_suggestions(program, "critic", "1", [row])
    return sample


def show(client, person, sample):
    client.force_login(person.user)
    assert "critic" in client.get(f"/review/{sample.pk}/").content.decode()


def judged(client, person, pairs):
    """Show a suggestion and save a review for each pair of verdicts."""
    for verdict, given in pairs:
        sample = suggested(verdict)
        show(client, person, sample)
        review.submit_review(sample, person, given)


def critic():
    (row,) = suggestions.suggestion_report().makers
    return row


def test_share_and_kappa_are_those_counted_by_hand(client, ada):
    judged(client, ada, [("accept", "accept")] * 4 + [("reject", "reject")] * 3 + [("accept", "reject")] * 3)
    row = critic()
    assert (row.suggestions, row.offered, row.unanswered) == (10, 10, 10)
    assert (row.after.reviews, row.after.same, row.after.same_percent) == (10, 7, 70)
    assert row.after.kappa.value == pytest.approx((0.7 - 0.46) / (1 - 0.46))  # 0.7 * 0.4 + 0.3 * 0.6
    assert row.after.kappa.low < row.after.kappa.value < row.after.kappa.high
    assert [list(one.counts) for one in row.after.confusion] == [[4, 0, 3], [0, 0, 0], [0, 0, 3]]
    assert row.unseen.reviews == 0


def test_reviews_saved_before_or_by_people_who_were_not_shown_it_are_counted_apart(client, ada):
    sample = make_sample()
    review.submit_review(sample, ada, "accept")
    suggested("accept", sample)
    review.submit_review(sample, acting(make_user("annotator", "ben")), "reject")
    show(client, ada, sample)
    row = critic()
    assert (row.after.reviews, row.unseen.reviews, row.unseen.same) == (0, 2, 1)
    review.submit_review(sample, ada, "accept")
    row = critic()
    assert (row.after.reviews, row.after.same, row.unseen.reviews) == (1, 1, 1)


def test_a_withdrawn_review_and_an_adjudication_do_not_count_and_a_withdrawn_suggestion_does(client, ada):
    sample = suggested("reject")
    show(client, ada, sample)
    given = review.submit_review(sample, ada, "reject")
    one = sample.suggestions.get()
    suggestions.withdraw_suggestion(one, acting(one.posted_by))
    row = critic()
    assert (row.withdrawn, row.after.reviews) == (1, 1)
    review.withdraw_review(given, ada, "misread")
    assert critic().after.reviews == 0


def test_a_review_counts_once_though_newer_evidence_suggested_anew(client, ada, ben):
    sample = make_sample()
    for report in (reports.broken_promise, reports.cheated):  # a fix, then a rejection
        verify(sample, report(sample.pk))
        client.force_login(ada.user)
        assert "refused-by-engine" in client.get(f"/review/{sample.pk}/").content.decode()
    review.submit_review(sample, ada, "reject")
    review.submit_review(sample, ben, "fix")
    row = critic()
    assert (row.suggestions, row.offered) == (2, 2)
    assert (row.after.reviews, row.after.same) == (1, 1), "beside the last one that ada was shown"
    assert (row.unseen.reviews, row.unseen.same) == (1, 0), "beside the newest one"


def test_replies_are_counted_by_kind(client, ada):
    for reply, verdict in (
        (suggestions.take, "reject"),
        (suggestions.take, "accept"),
        (suggestions.drop, "fix"),
    ):
        sample = suggested("reject")
        show(client, ada, sample)
        reply(Sample.objects.with_body().get(pk=sample.pk), sample.suggestions.get().pk, ada)
        review.submit_review(sample, ada, verdict)
    row = critic()
    assert (row.taken, row.overruled, row.dropped, row.unanswered) == (1, 1, 1, 0)


def test_the_page_is_for_curators_and_says_when_there_is_nothing(annotator, curator):
    assert annotator.get(PAGE).status_code == 403
    assert annotator.get(API).status_code == 403
    assert "No suggestions yet" in curator.get(PAGE).content.decode()
    assert PAGE in curator.get("/analysis/").content.decode()
    assert PAGE not in annotator.get("/analysis/").content.decode()


def test_the_page_and_the_api_have_the_numbers(client, curator, ada):
    judged(client, ada, [("accept", "accept")] * 4 + [("reject", "accept")] * 2)
    text = curator.get(PAGE).content.decode()
    assert "(67 %)" in text
    assert "0.00" in text
    (row,) = curator.get(API).json()["makers"]
    assert (row["maker"], row["offered"], row["after"]["same"]) == ("critic", 6, 4)
    assert row["unseen"]["kappa"]["missing"] == "not enough reviews"


def test_the_report_costs_the_same_however_many_there_are(client, ada, django_assert_max_num_queries):
    judged(client, ada, [("accept", "accept")] * 6)
    with django_assert_max_num_queries(5):
        suggestions.suggestion_report()
