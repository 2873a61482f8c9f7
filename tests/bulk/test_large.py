"""Tests of bulk actions over many samples: counted by the worker, fast, no effect on later requests."""

from itertools import count

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from datasets_app import bulk
from datasets_app.browse.list import facets, tags
from datasets_app.browse.query import BrowseFilter
from datasets_app.browse.query.sets import Bounds
from datasets_app.bulk import BulkError, Target
from datasets_app.bulk.forgetting import forget_changes
from datasets_app.bulk.rows import insert_each
from datasets_app.bulk.run import run_bulk
from datasets_app.bulk.target import Count
from datasets_app.bulk.verbs import links
from datasets_app.db import facet_index
from datasets_app.db.facet_index.rows import select
from datasets_app.models import BulkAction, BulkChange, SampleTag, Tag
from eval_app.site_worker import sweeper
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
ACT = "/browse/act/"
SEARCH = "code=__global__"


@pytest.fixture
def person():
    return make_user("annotator")


@pytest.fixture
def found(monkeypatch):
    """Four samples that a search finds; a request's time limit allows counting three of them."""
    monkeypatch.setattr("datasets_app.browse.query.sets.HASTY", Bounds(2, 9))
    return [make_sample(kernel=f"__global__ kernel_{number}") for number in range(4)]


def tag(person, query="", name="fast", **how):
    return bulk.start(acting(person), "tag", Target.of_query(query), {"tag": name}, **how)


def run(action):
    run_bulk(action.pk)
    action.refresh_from_db()
    return action


# --- Counting -----------------------------------------------------------------------------------------------------


def test_a_request_over_more_than_can_be_counted_soon_says_at_least_and_the_worker_counts(person, found):
    asked = tag(person, SEARCH)
    assert (asked.state, asked.counted, asked.total) == ("queued", False, 3)
    done = run(asked)
    assert (done.state, done.counted, done.total, done.changed) == ("done", True, 4, 4)


def test_asking_counts_no_search_to_its_end(person, found):
    with CaptureQueriesContext(connection) as asked:
        tag(person, SEARCH)
    assert not [one for one in asked if "COUNT(" in one["sql"].upper() and "kernel_code" in one["sql"]]


def test_its_bar_says_more_than_until_it_is_counted(annotator, found):
    asked = annotator.post(ACT, {"do": "tag:all", "query": SEARCH, "expected": "3+", "tag": "fast"})
    made = BulkAction.objects.get()
    assert (asked.status_code, made.counted) == (302, False)
    page = f"/browse/actions/{made.pk}/"
    assert "0 of more than 3" in annotator.get(page).content.decode()
    run(made)
    assert "Tagged 4 samples" in annotator.get(page).content.decode()


def test_the_list_hands_on_that_there_are_more(annotator, found):
    assert 'name="expected" value="3+"' in annotator.get(f"/browse/?{SEARCH}").content.decode()


@pytest.mark.parametrize(
    ("count", "said", "agrees"),
    [
        (Count(5), "5", True),
        (Count(5), "4", False),
        (Count(5), "4+", True),
        (Count(5), "6+", False),
        (Count(3, exact=False), "2+", True),
        (Count(3, exact=False), "5", True),
        (Count(3, exact=False), "2", False),
        (Count(5), "", False),
        (Count(5), "five", False),
    ],
)
def test_a_page_is_believed_where_its_count_may_be_this_one(count, said, agrees):
    assert count.agrees(Count.read(said)) is agrees


def test_another_number_than_was_named_fails_the_action_before_it_does_anything(person, found):
    done = run(tag(person, SEARCH, expected=5))
    assert done.state == "failed"
    assert "4 samples match, not 5: nothing was done." in done.error
    assert not SampleTag.objects.exists()


def test_a_number_that_is_too_small_already_is_refused_at_once(person, found):
    with pytest.raises(BulkError, match="nothing was done"):
        tag(person, SEARCH, expected=1)


# --- The undo's rows ----------------------------------------------------------------------------------------------


def test_a_new_action_ends_the_undo_of_the_last_and_leaves_its_rows_to_the_sweeper(person, monkeypatch):
    monkeypatch.setattr("datasets_app.bulk.forgetting.AT_ONCE", 2)
    for _ in range(5):
        make_sample()
    first = tag(person)
    with CaptureQueriesContext(connection) as asked:
        second = tag(person, name="second")
    assert not [one for one in asked if "DELETE" in one["sql"] and "bulkchange" in one["sql"]]
    with pytest.raises(BulkError, match="no longer"):
        bulk.undo(acting(person), first)
    sweeper.sweep()
    assert set(BulkChange.objects.values_list("bulk", flat=True)) == {second.pk}


def test_what_is_forgotten_goes_a_part_at_a_time(person, monkeypatch):
    monkeypatch.setattr("datasets_app.bulk.forgetting.AT_ONCE", 2)
    for _ in range(5):
        make_sample()
    tag(person)
    tag(person, name="second")
    assert [forget_changes(most_rounds=1) for _ in range(4)] == [2, 2, 1, 0]


def test_what_is_being_taken_back_is_known_until_that_is_through(person, monkeypatch):
    make_sample()
    first = tag(person)
    monkeypatch.setattr("datasets_app.bulk.asking.AT_ONCE", 0)
    undoing = bulk.undo(acting(person), first)
    tag(person, name="second")
    assert forget_changes() == 0
    assert run(undoing).changed == 1
    assert forget_changes() == 1


# --- Speed and the counts of the list -------------------------------------------------------------------------------


def counted(field):
    shown = facets.count(BrowseFilter.from_querystring("")).facets
    return {value.value: value.count for facet in shown if facet.name == field for value in facet.values}


def dirty_rows():
    return select("SELECT count(*) FROM concur_facet_dirty")[0][0]


@pytest.mark.django_db(transaction=True)
def test_a_bulk_tag_counts_at_once_and_leaves_nothing_to_fold(person):
    had = make_sample()
    tags.put_on(acting(person), had, tags.named_or_new(acting(person), "old"))
    for _ in range(4):
        make_sample()
    while facet_index.compact():
        pass
    done = tag(person)
    assert dirty_rows() == 0
    assert (counted("tag")["fast"], counted("tag")["old"]) == (5, 1)
    facet_index.rebuild()
    assert counted("tag")["fast"] == 5
    bulk.undo(acting(person), done)
    assert dirty_rows() == 0
    assert "fast" not in counted("tag")
    assert counted("tag")["old"] == 1


@pytest.mark.django_db(transaction=True)
def test_a_bulk_verify_changes_no_count_and_leaves_nothing_to_fold(person):
    for _ in range(3):
        make_sample()
    while facet_index.compact():
        pass
    bulk.start(acting(person), "verify", Target.of_query(""), {})
    assert dirty_rows() == 0


@pytest.mark.django_db(transaction=True)
def test_what_others_changed_meanwhile_stays_marked(person):
    make_sample()
    while facet_index.compact():
        pass
    make_sample()  # its dirty row is not the tag's
    tag(person)
    assert dirty_rows() == 1


def test_a_group_costs_the_same_few_statements_however_many_samples_it_has(person):
    def statements():
        with CaptureQueriesContext(connection) as asked:
            tag(person, name=f"t{Tag.objects.count()}")
        return len(asked)

    make_sample()
    statements()
    of_one = statements()
    for _ in range(30):
        make_sample()
    assert statements() <= of_one + 2


def test_a_sample_that_is_gone_gets_no_row_and_one_that_has_it_keeps_its_own(person):
    has, new = make_sample(), make_sample()
    word = tags.named_or_new(acting(person), "fast")
    tags.put_on(acting(person), has, word)
    gone = "00000000-0000-4000-8000-000000000000"
    insert_each(SampleTag, [has.pk, new.pk, gone], {"tag_id": word.pk, "added_by_id": None})
    assert set(SampleTag.objects.values_list("sample", "added_by")) == {(has.pk, person.pk), (new.pk, None)}
    assert all(SampleTag.objects.values_list("added_at", flat=True))


def test_an_undo_that_failed_is_tried_again_and_goes_on_where_it_ended(person, monkeypatch):
    for _ in range(4):
        make_sample()
    done = tag(person)
    real, calls = links.take_back, count(1)

    def fail_once(*arguments):
        if next(calls) == 2:
            raise OSError("The disk does not answer")
        return real(*arguments)

    monkeypatch.setattr("datasets_app.bulk.verb.Verb.group", 2)
    monkeypatch.setattr(links, "take_back", fail_once)
    failed = bulk.undo(acting(person), done)
    assert (failed.state, failed.changed) == ("failed", 2)
    again = bulk.undo(acting(person), done)
    assert (again.pk, again.state, again.changed) == (failed.pk, "done", 4)
    assert not SampleTag.objects.exists()
    with pytest.raises(BulkError, match="already been undone"):
        bulk.undo(acting(person), done)
