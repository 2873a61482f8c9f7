"""Tests that two simultaneous requests, on real connections to a real database, never get the same sample."""

import threading
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from datasets_app import review
from datasets_app.models import AuditEntry, Review
from tests.factories import acting, make_sample, make_user

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
