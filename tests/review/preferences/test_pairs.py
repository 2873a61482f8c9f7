"""Tests of the next pair: few comparisons first, never one that was judged, the same sides each time, few queries."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from datasets_app.models import Honeypot, Sample
from datasets_app.review.preferences import submit_preference, withdraw_preference
from datasets_app.review.preferences.pairs import MOST_TASKS, TASKS_PER_READ, next_pair, ordered, sided
from tests.factories import make_sample, make_task

pytestmark = pytest.mark.django_db


def make_tasks(count, samples=2):
    return [[make_sample(task) for _ in range(samples)] for task in (make_task() for _ in range(count))]


def judge(actor, pair, choice="left"):
    left, right = (Sample.objects.get(pk=pk) for pk in pair)
    return submit_preference(left, right, actor, choice)


def test_a_task_with_one_sample_has_no_pair(ada):
    make_sample()
    assert next_pair(ada.user).pair is None


def test_every_pair_of_every_task_comes_once(ada):
    make_tasks(3, samples=3)
    make_sample()
    seen, after = set(), None
    while (found := next_pair(ada.user, after)).pair:
        judge(ada, found.pair)
        seen.add(ordered(*found.pair))
        after = found.task
    assert len(seen) == 9
    assert found.is_end


def test_a_pair_that_nobody_compared_comes_before_one_that_somebody_did(ada, ben):
    make_tasks(2, samples=2)
    first = next_pair(ada.user).pair
    judge(ada, first)
    assert all(ordered(*next_pair(ben.user, after).pair) != ordered(*first) for after in (None, uuid4()))


def test_a_pair_that_was_compared_by_another_comes_when_no_other_is_left(ada, ben, pair):
    judge(ada, (pair[0].pk, pair[1].pk))
    assert ordered(*next_pair(ben.user).pair) == ordered(pair[0].pk, pair[1].pk)
    assert next_pair(ada.user).pair is None


def test_a_pair_whose_choice_was_withdrawn_comes_again(ada, pair):
    given = judge(ada, (pair[0].pk, pair[1].pk))
    withdraw_preference(given, ada, "misread")
    assert next_pair(ada.user).pair


def test_sides_are_the_same_at_each_look_and_shuffled_over_pairs_and_reviewers():
    pairs = [(uuid4(), uuid4()) for _ in range(200)]
    assert all(sided(1, *pair) == sided(1, *reversed(pair)) for pair in pairs)
    swapped = sum(sided(1, *pair) != ordered(*pair) for pair in pairs)
    apart = sum(sided(1, *pair) != sided(2, *pair) for pair in pairs)
    assert 50 < swapped < 150
    assert 50 < apart < 150


def test_the_search_reads_a_bounded_number_of_tasks_and_goes_on_after_them(ada, monkeypatch):
    monkeypatch.setattr("datasets_app.review.preferences.pairs.TASKS_PER_READ", 2)
    monkeypatch.setattr("datasets_app.review.preferences.pairs.MOST_TASKS", 4)
    for samples in make_tasks(6):
        judge(ada, [one.pk for one in samples])
    make_tasks(1)
    found, looks = next_pair(ada.user), 1
    while found.pair is None:
        assert not found.is_end
        found, looks = next_pair(ada.user, found.task), looks + 1
    assert looks <= 2


def test_who_returns_after_many_tasks_goes_on_after_the_last_one(ada, monkeypatch):
    monkeypatch.setattr("datasets_app.review.preferences.pairs.TASKS_PER_READ", 2)
    monkeypatch.setattr("datasets_app.review.preferences.pairs.MOST_TASKS", 4)
    make_tasks(8)
    after = None
    for _ in range(6):
        found = next_pair(ada.user, after)
        judge(ada, found.pair)
        after = found.task
    assert next_pair(ada.user).pair


def test_queries_do_not_grow_with_samples_or_tasks(ada):
    def queries():
        with CaptureQueriesContext(connection) as caught:
            assert next_pair(ada.user).pair
        return len(caught)

    make_tasks(1, samples=2)
    few = queries()
    make_tasks(TASKS_PER_READ + 2, samples=5)
    assert queries() <= few
    assert MOST_TASKS % TASKS_PER_READ == 0


def test_honeypots_are_offered_to_nobody(ada, pair):
    Honeypot.objects.create(sample=pair[0], answer="cheat", family="replay", explanation="It replays.")
    assert next_pair(ada.user).pair is None
