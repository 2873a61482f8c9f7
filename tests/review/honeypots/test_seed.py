"""A queue mixes honeypots in at its own rate."""

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Honeypot, Sample
from datasets_app.review.queues import QueueError, create_queue, open_queue, top_up
from tests.factories import make_queue, make_sample, make_user

pytestmark = pytest.mark.django_db


def honeypots(count):
    for _ in range(count):
        Honeypot.objects.create(
            sample=make_sample(generator="other"),
            answer="cheat",
            family="attack on the judge",
            explanation="",
        )


def ordinary(count):
    return [make_sample(generator="ours").pk for _ in range(count)]


def opened(name="first", **fields):
    queue = make_queue(name, COMMAND, query="generator:ours", **fields)
    added = open_queue(queue, COMMAND)
    queue.refresh_from_db()
    return queue, added


def known_in(queue):
    return set(queue.items.filter(sample__honeypot__isnull=False).values_list("sample", flat=True))


def test_the_rate_is_a_share_of_all_samples_of_the_queue():
    honeypots(20)
    ordinary(30)
    queue, added = opened(honeypot_percent=25)
    assert added.added == 30
    assert (queue.items.count(), len(known_in(queue))) == (40, 10)


def test_they_come_at_random_places_and_the_others_keep_their_order():
    honeypots(20)
    ids = ordinary(30)
    queue, _ = opened(honeypot_percent=25)
    order = list(queue.items.order_by("position").values_list("sample", flat=True))
    known = known_in(queue)
    assert [pk for pk in order if pk not in known] == ids
    places = [place for place, pk in enumerate(order) if pk in known]
    assert places != list(range(places[0], places[0] + 10)), "all in one place"


def test_without_a_rate_there_are_none_and_too_few_are_all_there_is():
    honeypots(2)
    ordinary(10)
    assert known_in(opened(target=4)[0]) == set()
    assert len(known_in(opened("second", honeypot_percent=50)[0])) == 2


def test_the_target_counts_ordinary_samples_alone():
    honeypots(5)
    ordinary(10)
    queue, added = opened(honeypot_percent=50, target=5)
    assert (added.added, queue.items.count()) == (5, 10)


def test_a_queue_gets_no_honeypot_twice_and_two_open_queues_share_none():
    honeypots(3)
    ordinary(4)
    first, _ = opened(honeypot_percent=50, target=2)
    assert len(known_in(first)) == 2
    second, _ = opened("second", honeypot_percent=50)
    assert len(known_in(second)) == 1
    ordinary(2)
    top_up(second, COMMAND)
    assert (second.items.count(), len(known_in(second))) == (5, 1)


@pytest.mark.parametrize("percent", [-1, 51, "half"])
def test_a_rate_beyond_half_or_no_number_is_refused(percent):
    with pytest.raises(QueueError, match="A whole number from 0 to 50"):
        create_queue(COMMAND, {"name": "first", "honeypot_percent": percent})


def test_a_reviewer_is_told_on_the_next_page(client):
    honeypots(1)
    sample = Sample.objects.get()
    client.force_login(make_user("annotator"))
    page = client.get(f"/review/{sample.pk}/")
    form = page.context["form"]
    fields = {name: form[name].value() for name in ("key", "seen", "draft")}
    answer = client.post(
        f"/review/{sample.pk}/", {**fields, "rubric": form.rubric.number, "verdict": "accept"}, follow=True
    )
    text = answer.content.decode()
    assert "was a test: known cheat (attack on the judge)" in text
    assert "That was a miss." in text
