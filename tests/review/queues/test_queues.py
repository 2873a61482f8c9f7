"""Tests that a queue holds the samples it was opened with, offers each to as many reviewers as it wants, and counts."""

from datetime import date

import pytest
from django.core.exceptions import PermissionDenied

from datasets_app import review
from datasets_app.ingest.withdraw import withdraw_sample
from datasets_app.models import AuditEntry, Honeypot, QueueItem, Review, ReviewClaim, ReviewSkip
from datasets_app.review import queues
from datasets_app.review.queues import QueueError
from tests.factories import acting, make_queue, make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return [make_user("annotator", name) for name in ("ada", "ben", "cyd")]


def opened(cur, **fields):
    queue = make_queue("first look", cur, **fields)
    queues.open_queue(queue, cur)
    queue.refresh_from_db()
    return queue


def counts(queue, reader):
    found = queues.progress_of([queue], reader)[queue.pk]
    assert found.done + found.claimed + found.skipped + found.waiting == found.wanted
    return found.done, found.claimed, found.skipped, found.waiting


def test_a_queue_keeps_its_samples_after_the_query_no_longer_matches_them(cur, people):
    samples = [make_sample() for _ in range(2)]
    queue = opened(cur, query="verdict:none", overlap=2)
    for person in people[:2]:
        taken = queues.next_in_queue(queue, acting(person))
        assert taken == samples[0]
        review.submit_review(taken, acting(person), "accept")
    assert queues.next_in_queue(queue, acting(people[2])) == samples[1]
    assert queue.items.count() == 2


def test_a_reviewer_never_gets_a_sample_that_they_have_voted_on(cur, people):
    sample = make_sample()
    review.submit_review(sample, acting(people[0]), "accept")
    queue = opened(cur, overlap=3)
    assert queues.next_in_queue(queue, acting(people[0])) is None
    assert queues.next_in_queue(queue, acting(people[1])) == sample


def test_votes_and_claims_together_never_exceed_the_overlap(cur, people):
    sample = make_sample()
    queue = opened(cur, overlap=2)
    review.submit_review(sample, acting(people[0]), "accept")
    review.claim(sample, acting(people[1]))
    assert queues.next_in_queue(queue, acting(people[2])) is None
    with pytest.raises(review.NoSlotError, match="wants 2 review"):
        review.claim(sample, acting(people[2]))
    with pytest.raises(review.NoSlotError):
        review.submit_review(sample, acting(people[2]), "reject")
    review.claim(sample, acting(people[0]))  # a voter may correct: that is no further vote
    review.submit_review(sample, acting(people[0]), "fix")
    assert Review.objects.count() == 2


def test_two_reviewers_have_two_slots_of_one_sample(cur, people):
    sample = make_sample()
    queue = opened(cur, overlap=2)
    assert [queues.next_in_queue(queue, acting(person)) for person in people] == [sample, sample, None]
    assert sorted(ReviewClaim.objects.values_list("slot", flat=True)) == [1, 2]


def test_all_samples_offer_none_that_an_open_queue_has_complete_or_keeps_for_others(cur, people):
    complete, kept, free = make_sample(generator="a"), make_sample(generator="b"), make_sample()
    review.submit_review(complete, acting(people[0]), "accept")
    opened(cur, query="generator:a")
    queues.open_queue(make_queue("named", cur, query="generator:b", reviewers=["ben"]), cur)
    assert review.next_sample(acting(people[2])) == free
    review.submit_review(free, acting(people[2]), "accept")
    assert review.next_sample(acting(people[2])) is None
    assert review.next_sample(acting(people[1])) == kept


def test_named_reviewers_alone_work_on_a_queue(cur, people):
    sample = make_sample()
    queue = opened(cur, reviewers=["ada"])
    with pytest.raises(QueueError, match="names its reviewers"):
        queues.next_in_queue(queue, acting(people[1]))
    with pytest.raises(review.NoSlotError, match="names its reviewers"):
        review.claim(sample, acting(people[1]))
    assert queues.next_in_queue(queue, acting(people[0])) == sample


def test_a_sample_is_in_one_open_queue_and_those_left_out_are_counted(cur):
    make_sample(generator="a")
    make_sample(generator="b")
    opened(cur, query="generator:a")
    second = make_queue("second", cur)
    added = queues.open_queue(second, cur)
    assert (added.added, added.elsewhere) == (1, 1)


def test_a_query_puts_no_honeypot_into_a_queue(cur):
    sample, trap = make_sample(), make_sample()
    Honeypot.objects.create(sample=trap, answer="cheat", family="clock", explanation="It replaces the clock.")
    assert [item.sample for item in opened(cur).items.all()] == [sample]


def test_a_curator_tops_a_queue_up_to_its_target(cur):
    make_sample()
    queue = opened(cur, target=3)
    later = [make_sample() for _ in range(4)]
    assert queues.count_new(queue) == 2
    assert queues.top_up(queue, cur).added == 2
    assert list(queue.items.order_by("position").values_list("sample", flat=True))[1:] == [
        sample.pk for sample in later[:2]
    ]
    assert queues.count_new(queue) == 0


def test_a_closed_queue_frees_its_samples_and_keeps_its_reviews(cur, people):
    sample = make_sample()
    queue = opened(cur)
    review.submit_review(sample, acting(people[0]), "accept")
    queues.close_queue(queue, cur)
    with pytest.raises(QueueError, match="closed"):
        queues.next_in_queue(type(queue).objects.get(), acting(people[1]))
    assert review.next_sample(acting(people[1])) == sample
    assert Review.objects.count() == 1
    assert queues.open_queue(make_queue("again", cur), cur).added == 1


def test_progress_adds_up_to_samples_times_overlap(cur, people):
    ada, ben, cyd = people
    first, second, third = (make_sample() for _ in range(3))
    queue = opened(cur, overlap=2)
    assert counts(queue, ada) == (0, 0, 0, 6)
    review.submit_review(first, acting(ada), "accept")
    review.claim(first, acting(ben))
    review.skip(second, acting(ada))
    review.claim(second, acting(cyd))
    assert counts(queue, ada) == (1, 2, 1, 2)
    assert queues.progress_of([queue], ada)[queue.pk].mine == 1
    queues.change_queue(queue, cur, {"overlap": 1})
    queue.refresh_from_db()
    assert counts(queue, ada) == (1, 1, 0, 1)
    assert third


def test_a_reviewers_place_is_what_the_whole_progress_says(cur, people):
    samples = [make_sample() for _ in range(4)]
    queue = opened(cur, overlap=2)
    for person, reviewed in zip(people[:2], (samples[:2], samples[:1]), strict=True):
        for sample in reviewed:
            review.submit_review(sample, acting(person), "accept")
    review.submit_review(samples[0], acting(people[0]), "reject")
    withdraw_sample(samples[1], cur, "a copy")
    place, progress = queues.place_in(queue, people[0]), queues.progress_of([queue], people[0])[queue.pk]
    assert (place.total, place.mine) == (progress.samples, progress.mine) == (3, 1)
    assert place.position == 2


def test_progress_costs_the_same_for_any_number_of_queues(cur, people, django_assert_num_queries):
    rows = []
    for number in range(5):
        make_sample(generator=f"g{number}")
        queue = make_queue(f"q{number}", cur, query=f"generator:g{number}")
        queues.open_queue(queue, cur)
        rows.append(queue)
    review.claim(QueueItem.objects.first().sample, acting(people[0]))
    with django_assert_num_queries(5):
        queues.progress_of(rows, people[0])


def test_a_skip_is_stored_with_its_reason_each_time_and_the_sample_comes_last(cur, people):
    first, second = make_sample(), make_sample()
    queue = opened(cur)
    ada = acting(people[0])
    review.skip(first, ada, "unsure", "  needs a GPU \n person ")
    review.skip(first, ada)
    assert [(skip.queue, skip.reason, skip.words) for skip in ReviewSkip.objects.all()] == [
        (queue, "", ""),
        (queue, "unsure", "needs a GPU \n person"),
    ]
    assert queues.next_in_queue(queue, ada) == second
    review.submit_review(second, ada, "accept")
    assert queues.next_in_queue(queue, ada) == first
    with pytest.raises(review.SkipError, match="one of"):
        review.skip(first, ada, "bored")


def test_assigned_samples_come_first_and_are_counted_until_reviewed(cur, people):
    from datasets_app.models import Assignment

    first, second = make_sample(), make_sample()
    Assignment.objects.create(sample=second, reviewer=people[0])
    queue = opened(cur)
    assert queues.assigned_to(people[0]) == 1
    assert queues.next_in_queue(queue, acting(people[0])) == second
    review.submit_review(second, acting(people[0]), "accept")
    assert queues.assigned_to(people[0]) == 0
    assert queues.next_in_queue(queue, acting(people[0])) == first


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", "", "name"),
        ("query", "outcome:maybe", "outcome"),
        ("order", "best", "no choice"),
        ("order", "stratified", "facet"),
        ("overlap", "10", "from 1 to 9"),
        ("overlap", "two", "from 1 to 9"),
        ("target", "20001", "20,000"),
        ("deadline", "soon", "2027-01-31"),
        ("policy", "loudest", "no choice"),
        ("reviewers", ["nobody"], "no account"),
    ],
)
def test_a_faulty_field_is_refused_with_a_sentence(cur, field, value, sentence):
    with pytest.raises(QueueError) as refusal:
        queues.create_queue(cur, {"name": "q", field: value})
    assert sentence in str(refusal.value)


def test_a_name_is_taken_once_and_an_empty_queue_is_not_opened(cur):
    queue = make_queue("once", cur, deadline=date(2027, 1, 1))
    with pytest.raises(QueueError, match="already"):
        make_queue("once", cur)
    with pytest.raises(QueueError, match="No sample"):
        queues.open_queue(queue, cur)
    assert not QueueItem.objects.exists()


def test_another_curators_change_is_not_overwritten(cur):
    queue = make_queue("q", cur)
    queues.change_queue(queue, cur, {"words": "theirs"}, seen=1)
    with pytest.raises(QueueError, match="Somebody changed"):
        queues.change_queue(queue, cur, {"words": "mine"}, seen=1)
    queue.refresh_from_db()
    assert queue.words == "theirs"


@pytest.mark.parametrize("verb", [queues.open_queue, queues.top_up, queues.close_queue])
def test_an_annotator_may_not_manage_queues(cur, people, verb):
    with pytest.raises(PermissionDenied):
        verb(make_queue("q", cur), acting(people[0]))


def test_all_that_is_done_to_a_queue_is_audited(cur):
    make_sample()
    queue = opened(cur)
    queues.change_queue(queue, cur, {"words": "more"})
    make_sample()
    queues.top_up(queue, cur)
    queues.close_queue(queue, cur)
    found = AuditEntry.objects.filter(action__startswith="queue.").order_by("pk")
    assert list(found.values_list("action", flat=True)) == [
        "queue.create",
        "queue.open",
        "queue.change",
        "queue.top-up",
        "queue.close",
    ]


def test_a_queue_that_is_too_large_asks_for_a_target(cur, monkeypatch):
    from datasets_app.review.queues import verbs

    monkeypatch.setattr(verbs, "LARGEST_QUEUE", 2)
    for _ in range(3):
        make_sample()
    queue = make_queue("large", cur)
    with pytest.raises(QueueError, match="set a target"):
        queues.open_queue(queue, cur)
    queues.change_queue(queue, cur, {"target": 2})
    assert queues.open_queue(queue, cur).added == 2
    monkeypatch.setattr(verbs, "MOST_MATCHES", 0)
    with pytest.raises(QueueError, match="too many to put in order"):
        verbs.add(make_queue("larger", cur, query="review:unreviewed", target=1))
