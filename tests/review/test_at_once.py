"""Tests that two simultaneous requests, on real connections to a real database, never get the same sample."""

import threading
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import Count

from datasets_app import review
from datasets_app.models import AuditEntry, QueueItem, Review, ReviewClaim
from datasets_app.review import queues
from tests.factories import acting, make_queue, make_sample, make_user

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Return each call's result or exception; all start at the same instant, each on its own connection."""
    answers: list[Any] = [None] * len(calls)
    start = threading.Barrier(len(calls))

    def run(place: int, call: Callable[[], Any]) -> None:
        try:
            start.wait(timeout=60)
            answers[place] = call()
        except Exception as error:
            answers[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    return answers


def test_six_reviewers_at_once_get_six_samples():
    samples = {make_sample().pk for _ in range(6)}
    people = [make_user("annotator") for _ in range(6)]
    taken = at_once(*(lambda person=person: review.next_sample(acting(person)).pk for person in people))
    assert set(taken) == samples


def test_one_sample_wanted_by_four_goes_to_one():
    make_sample()
    people = [make_user("annotator") for _ in range(4)]
    taken = at_once(*(lambda person=person: review.next_sample(acting(person)) for person in people))
    assert sum(sample is not None for sample in taken) == 1
    assert not any(isinstance(sample, Exception) for sample in taken)


def test_one_submission_sent_four_times_at_once_is_stored_once():
    sample, ada, key = make_sample(), make_user("annotator"), uuid4()
    stored = at_once(
        *[lambda: review.submit_review(sample, acting(ada), "accept", {"correctness": 5}, key=key).pk] * 4
    )
    assert len(set(stored)) == 1
    assert Review.objects.count() == 1
    assert AuditEntry.objects.filter(action="review.submit").count() == 1


def test_of_two_reviewers_who_saw_the_same_one_is_told_of_the_other():
    sample = make_sample()
    people = [make_user("annotator") for _ in range(2)]
    seen = [review.look(sample, person) for person in people]
    answers = at_once(
        *(
            lambda person=person, saw=saw: review.submit_review(sample, acting(person), "fix", seen=saw)
            for person, saw in zip(people, seen, strict=True)
        )
    )
    assert sorted(type(answer).__name__ for answer in answers) == ["ChangedSinceError", "Review"]


def test_two_votes_at_once_are_both_counted(settings):
    settings.VERDICT_POLICY = "majority"
    sample, ada, ben = make_sample(), make_user("annotator"), make_user("annotator")
    at_once(
        lambda: review.submit_review(sample, acting(ada), "accept"),
        lambda: review.submit_review(sample, acting(ben), "reject"),
    )
    sample.refresh_from_db()
    assert sample.verdict == "contested"


def opened_queue(overlap, count=1):
    """Return the samples of an open queue."""
    samples = [make_sample() for _ in range(count)]
    queue = make_queue("at once", overlap=overlap)
    queues.open_queue(queue, acting(make_user("curator")))
    queue.refresh_from_db()
    return queue, samples


def test_of_six_who_want_one_sample_as_many_get_it_as_its_queue_wants_reviews():
    queue, (sample,) = opened_queue(3)
    people = [make_user("annotator") for _ in range(6)]
    taken = at_once(*(lambda person=person: queues.next_in_queue(queue, acting(person)) for person in people))
    assert [answer for answer in taken if answer] == [sample] * 3
    assert sorted(ReviewClaim.objects.values_list("slot", flat=True)) == [1, 2, 3]


def test_six_who_submit_at_once_without_a_claim_store_no_more_than_the_overlap():
    _, (sample,) = opened_queue(2)
    people = [make_user("annotator") for _ in range(6)]
    answers = at_once(
        *(lambda person=person: review.submit_review(sample, acting(person), "accept") for person in people)
    )
    assert sorted(type(answer).__name__ for answer in answers) == ["NoSlotError"] * 4 + ["Review"] * 2
    sample.refresh_from_db()
    assert (sample.votes, Review.objects.count()) == (2, 2)


def test_four_reviewers_empty_a_queue_together_and_lose_no_review():
    queue, samples = opened_queue(2, count=4)
    people = [make_user("annotator") for _ in range(4)]

    def work(person):
        while sample := queues.next_in_queue(queue, acting(person)):
            review.submit_review(sample, acting(person), "accept")

    assert at_once(*(lambda person=person: work(person) for person in people)) == [None] * 4
    votes = Review.objects.order_by().values_list("sample").annotate(n=Count("reviewer", distinct=True))
    assert dict(votes) == {sample.pk: 2 for sample in samples}
    assert Review.objects.count() == 8


def test_two_queues_opened_at_once_share_no_sample():
    for _ in range(5):
        make_sample()
    first, second = make_queue("one"), make_queue("two")
    curator = acting(make_user("curator"))
    at_once(
        lambda: queues.open_queue(first, curator),
        lambda: queues.open_queue(second, curator),
    )
    held = list(QueueItem.objects.values_list("sample", flat=True))
    assert len(held) == len(set(held)) == 5
