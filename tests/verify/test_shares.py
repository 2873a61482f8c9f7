"""Tests of fair shares: a person's large batch does not delay another's small one, however many rows wait."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from datasets_app.models import Priority, Verification
from eval_app.pages.place import position_of
from eval_app.queue import send_window
from eval_app.queue.routes import Route
from eval_app.queue.shares import drawn, oldest_of
from tests.factories import make_sample, make_user

pytestmark = pytest.mark.django_db
ROUTE = Route("cpu")
START = timezone.now() - timedelta(hours=1)


def plant(person, count, after_minutes=0, priority=Priority.LATER):
    """Store queued rows of a person, requested in one second."""
    sample = make_sample()
    rows = [
        Verification(
            sample=sample,
            wanted_device="cpu",
            profile=f"{person and person.pk}-{priority}-{number}",  # a sample waits once per profile
            requested_by=person,
            priority=priority,
            attempt=1,
        )
        for number in range(count)
    ]
    Verification.objects.bulk_create(rows)
    for number, row in enumerate(rows):
        row.created_at = START + timedelta(minutes=after_minutes, milliseconds=number)
    Verification.objects.bulk_update(rows, ["created_at"], batch_size=500)
    return rows


def names(ids):
    people = dict(Verification.objects.values_list("pk", "requested_by__username"))
    return [people[pk] for pk in ids]


def test_people_are_served_in_turn_whoever_waits_longest_first():
    anna, bert = make_user("annotator", "anna"), make_user("annotator", "bert")
    first, second, third = plant(anna, 6), plant(bert, 2, 1), plant(None, 3, 2)
    ids = drawn(send_window.unsent(ROUTE), 9)
    assert names(ids) == ["anna", "bert", None, "anna", "bert", None, "anna", None, "anna"]
    assert [pk for pk in ids if pk in {row.pk for row in first}] == [row.pk for row in first[:4]]
    assert {row.pk for row in second + third} < set(ids)


def test_a_batch_does_not_starve_ten_of_another_person_and_a_priority_precedes_all():
    anna, bert = make_user("annotator", "anna"), make_user("annotator", "bert")
    plant(anna, 400)
    late = plant(bert, 10, 30)
    now = plant(anna, 3, 40, Priority.FIRST)
    ids = send_window.next_rows(ROUTE)
    assert len(ids) == send_window.WINDOW
    assert ids[:3] == [row.pk for row in now]
    assert [ids.index(row.pk) for row in late] == [4 + 2 * number for number in range(10)]


def test_the_place_on_the_page_is_the_one_in_which_it_is_drawn():
    anna, bert = make_user("annotator", "anna"), make_user("annotator", "bert")
    rows = [*plant(anna, 30), *plant(bert, 5, 10), *plant(None, 2, 20), *plant(bert, 1, 5, Priority.SOON)]
    ids = send_window.next_rows(ROUTE)
    assert [ids.index(row.pk) + 1 for row in rows] == [position_of(row) for row in rows]


def test_drawing_costs_seeks_per_person_and_none_per_row():
    plant(make_user("annotator", "anna"), 20)
    plant(make_user("annotator", "bert"), 20)
    with CaptureQueriesContext(connection) as few:
        drawn(send_window.unsent(ROUTE), 10)
    plant(make_user("annotator", "cleo"), 300)
    with CaptureQueriesContext(connection) as many:
        drawn(send_window.unsent(ROUTE), 10)
    assert len(many) - len(few) == 3


def test_no_draw_sorts_rows():
    """An index has the order. So few rows PostgreSQL would sort all the same, unless it is told to avoid it."""
    person = make_user("annotator", "anna")
    plant(person, 300)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off")
    for who in (person.pk, None):
        rows = oldest_of(send_window.unsent(ROUTE).filter(priority=Priority.LATER), who)
        plan = rows.values_list("pk", flat=True)[:10].explain()
        assert connection.vendor == "postgresql" or "verification_to_send" in plan
        assert "TEMP B-TREE" not in plan
        assert "Sort" not in plan
