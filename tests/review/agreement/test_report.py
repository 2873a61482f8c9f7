"""Tests of the report: whose reviews count, and what is said of pairs, reviewers and fields."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from datasets_app import review
from datasets_app.review import queues
from datasets_app.review.agreement import agreement
from datasets_app.review.agreement.coefficients import cohen_kappa
from tests.factories import acting, make_queue, make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return [make_user("annotator", name) for name in ("ada", "ben", "cyd")]


def judged(person, sample, verdict, **scores):
    return review.submit_review(sample, acting(person), verdict, scores)


def judged_by_two(people, verdicts):
    """Store a sample per pair of verdicts, of the first person and of the second."""
    samples = []
    for one, other in verdicts:
        samples.append(make_sample())
        judged(people[0], samples[-1], one)
        judged(people[1], samples[-1], other)
    return samples


def verdict_of(report):
    return next(row for row in report.fields if row.field.name == "verdict")


def test_without_reviews_each_field_says_that_there_are_not_enough(people):
    report = agreement()
    assert {row.alpha.missing for row in report.fields} == {"not enough reviews"}
    assert (report.pairs, report.reviewers) == ((), ())


def test_a_pair_has_its_kappa_and_its_confusion(people):
    judged_by_two(people, [("accept", "accept")] * 4 + [("accept", "fix"), ("reject", "reject")])
    (pair,) = agreement().pairs
    assert (pair.first, pair.second, pair.samples, pair.same) == ("ada", "ben", 6, 5)
    assert pair.confusion == (("Accept", (4, 1, 0)), ("needs a fix", (0, 0, 0)), ("Reject", (0, 0, 1)))
    assert pair.same_percent == 83
    assert pair.kappa.value == pytest.approx(cohen_kappa({(0, 0): 4, (0, 1): 1, (2, 2): 1}))


def test_a_new_review_changes_the_report_at_once_and_the_newest_of_a_reviewer_counts(people):
    samples = judged_by_two(
        people, [("accept", "accept")] * 3 + [("reject", "reject")] * 2 + [("fix", "accept")]
    )
    assert agreement().pairs[0].same == 5
    judged(people[1], samples[-1], "fix")
    report = agreement()
    assert (report.pairs[0].same, verdict_of(report).alpha.value) == (6, pytest.approx(1))


def test_a_sample_with_one_reviewer_is_in_nothing(people):
    judged_by_two(people, [("accept", "reject")])
    lonely = make_sample()
    judged(people[0], lonely, "accept")
    judged(people[0], lonely, "reject")
    report = agreement()
    assert (report.pairs[0].samples, verdict_of(report).alpha.samples) == (1, 1)
    assert [row.samples for row in report.reviewers] == [1, 1]


def test_scores_are_compared_in_order_and_one_that_was_not_given_is_no_rating(people):
    for score in (1, 2, 3, 4, 5):
        sample = make_sample()
        judged(people[0], sample, "accept", correctness=score)
        judged(people[1], sample, "accept", correctness=score)
        judged(people[2], sample, "accept")
    report = agreement("correctness")
    fields = {row.field.name: row for row in report.fields}
    assert fields["correctness"].alpha.value == pytest.approx(1)
    assert fields["faithfulness"].alpha.missing == "not enough reviews"
    assert fields["verdict"].alpha.missing == "not defined: every rating is the same"
    assert [row.name for row in report.reviewers] == ["ada", "ben"]


def test_a_reviewer_row_counts_pairs_with_each_other_reviewer(people):
    sample = make_sample()
    for person, verdict in zip(people, ("accept", "accept", "reject"), strict=True):
        judged(person, sample, verdict)
    rows = {row.name: (row.pairs, row.same) for row in agreement().reviewers}
    assert rows == {"ada": (2, 1), "ben": (2, 1), "cyd": (2, 0)}


def test_a_queue_has_a_report_of_its_own_samples_also_of_those_that_were_added_later(people):
    judged_by_two(people, [("accept", "reject")] * 5)
    curator = acting(make_user("curator"))
    queue = make_queue("second look", curator, query="generator:second")
    for number in range(6):
        sample = make_sample(generator="second")
        for person in people[:2]:
            judged(person, sample, "accept" if number else "reject")
    assert [agreement(queue=queue).pairs, agreement().pairs[0].same] == [(), 6]
    queues.open_queue(queue, curator)
    report = agreement(queue=queue)
    assert (report.pairs[0].samples, report.pairs[0].same) == (6, 6)
    assert verdict_of(report).alpha.value == pytest.approx(1)
    assert [row.samples for row in report.reviewers] == [6, 6]
    later = make_sample(generator="second")
    for person in people[:2]:
        judged(person, later, "fix")
    queues.top_up(queue, curator)
    assert agreement(queue=queue).pairs[0].samples == 7
    assert agreement().pairs[0].samples == 12


def test_the_report_takes_five_queries_and_three_when_nothing_changed(people):
    judged_by_two(people, [("accept", "reject")] * 6)
    for expected in (5, 3):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            agreement()
        assert len(queries) == expected
