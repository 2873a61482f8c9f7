"""Tests of the orders in which samples enter a queue."""

import pytest

from datasets_app import review
from datasets_app.models import Sample
from datasets_app.review import queues
from tests.factories import acting, make_queue, make_sample, make_user
from tests.verifications import timed

pytestmark = pytest.mark.django_db


def positions(**fields):
    curator = acting(make_user("curator"))
    queue = make_queue("q", curator, **fields)
    queues.open_queue(queue, curator)
    return list(queue.items.order_by("position").values_list("sample", flat=True))


def test_the_oldest_come_first_unless_said_otherwise():
    samples = [make_sample().pk for _ in range(3)]
    assert positions() == samples


def test_the_highest_claims_come_first_and_none_last():
    low, none, high = make_sample(claimed_speedup=1.5), make_sample(), make_sample(claimed_speedup=9.0)
    assert positions(order="claim") == [high.pk, low.pk, none.pk]


def test_a_random_order_depends_on_its_seed_alone():
    samples = {make_sample().pk for _ in range(8)}
    first = positions(order="random", seed=7)
    assert set(first) == samples
    from datasets_app.models import ReviewQueue
    from datasets_app.review.queues.orders import in_order

    again = [in_order(ReviewQueue(order="random", seed=seed), Sample.objects.all(), 8) for seed in (7, 8)]
    assert again[0] == first
    assert again[1] != first


def test_disagreement_comes_first():
    ada, ben, cyd = (acting(make_user("annotator")) for _ in range(3))
    calm, torn, split = make_sample(), make_sample(), make_sample()
    for sample, verdicts in ((calm, "aa"), (torn, "ara"), (split, "rra")):
        for person, letter in zip((ada, ben, cyd), verdicts, strict=False):
            review.submit_review(sample, person, {"a": "accept", "r": "reject"}[letter])
    assert positions(order="disagreement") == [split.pk, torn.pk, calm.pk]


def test_the_most_uncertain_come_first():
    ada, ben = (acting(make_user("annotator")) for _ in range(2))
    decided, torn, unverified = make_sample(), make_sample(), make_sample()
    Sample.objects.filter(pk__in=[decided.pk, torn.pk]).update(
        outcome="passed", verified_at="2026-01-01T00:00:00Z"
    )
    review.submit_review(unverified, ada, "accept")
    review.submit_review(unverified, ben, "reject")
    review.submit_review(torn, ada, "accept")
    review.submit_review(torn, ben, "reject")
    assert positions(order="uncertain") == [unverified.pk, torn.pk, decided.pk]


def test_runs_that_disagree_and_findings_to_audit_are_uncertain_too():
    calm, audited, disagreeing = make_sample(), make_sample(), make_sample()
    for sample in (calm, audited, disagreeing):
        timed(sample, 1.2)
    audited.verifications.get().findings.create(code="large_speedup", severity="audit", detail="12 times")
    timed(disagreeing, 2.4)
    disagreeing.verifications.all()[0].findings.create(code="large_speedup", severity="audit", detail="twice")
    assert positions(order="uncertain") == [disagreeing.pk, audited.pk, calm.pk]


def test_a_rotation_takes_one_of_each_value_then_a_second():
    first, second, third = (make_sample(generator=name) for name in "aab")
    assert positions(order="stratified", facet="generator") == [first.pk, third.pk, second.pk]
