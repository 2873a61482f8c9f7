"""Tests of PostgreSQL's deferred text indexing: what is found meanwhile, and that no text is missed."""

import threading

import pytest
from django.db import connection, transaction

from datasets_app.browse.list import facets
from datasets_app.browse.query import parse_query
from datasets_app.db.text_index import pending
from datasets_app.db.text_index.postgres import FEW_BYTES, FEW_TEXTS
from datasets_app.maintenance import runs
from datasets_app.models import MaintenanceRun, Sample, SampleBody, TaskBody
from tests.factories import make_sample, make_task

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite indexes a text as it is stored"),
]
MANY = FEW_TEXTS + 1


def search(text):
    return Sample.objects.search(text).count()


def index_pending():
    return sum(pending.index(ids) for ids in pending.batches())


def stored_in_one_statement(count, word="bulk_word", **texts):
    samples = [make_sample() for _ in range(count)]
    SampleBody.objects.all().delete()
    bodies = [SampleBody(sample=one, reasoning=word, kernel_code="k", **texts) for one in samples]
    SampleBody.objects.bulk_create(bodies)
    return samples


def test_a_few_texts_are_found_at_once():
    stored_in_one_statement(FEW_TEXTS)
    assert (pending.count(), search("bulk_word")) == (0, FEW_TEXTS)


def test_many_texts_wait_and_are_found_when_they_are_indexed():
    stored_in_one_statement(MANY)
    assert (pending.count(), search("bulk_word")) == (MANY, 0)
    assert index_pending() == MANY
    assert (pending.count(), search("bulk_word")) == (0, MANY)


def test_one_long_text_waits_so_that_its_writer_does_not():
    make_sample(reasoning="early_word " + "x" * FEW_BYTES)
    assert (pending.count(), search("early_word")) == (1, 0)
    index_pending()
    assert search("early_word") == 1


def test_a_search_says_how_many_texts_wait_and_counts_anew_when_they_are_indexed(reader):
    stored_in_one_statement(MANY)
    chosen = parse_query("bulk_word")
    assert (facets.count(chosen).total, facets.count(chosen).unindexed) == (0, MANY)
    assert f"{MANY} texts were stored a moment ago" in reader.get("/browse/?q=bulk_word").content.decode()
    index_pending()
    assert (facets.count(chosen).total, facets.count(chosen).unindexed) == (MANY, 0)
    assert "stored a moment ago" not in reader.get("/browse/?q=bulk_word").content.decode()


def test_a_search_counts_only_some_of_many_texts_and_caches_nothing_meanwhile(reader, monkeypatch):
    monkeypatch.setattr(pending, "MOST_SHOWN", MANY - 1)
    stored_in_one_statement(MANY)
    page = reader.get("/browse/?q=bulk_word").content.decode()
    assert f"{MANY - 1} or more texts were stored a moment ago" in page
    pending.index(pending.some()[:1])
    assert facets.count(parse_query("bulk_word")).total == 1


def test_a_list_without_a_search_says_nothing_of_texts_that_wait():
    stored_in_one_statement(MANY)
    assert facets.count(parse_query("language:cuda")).unindexed == 0


def test_a_text_that_changes_while_it_waits_is_indexed_as_it_is_then():
    first, *_ = stored_in_one_statement(MANY)
    SampleBody.objects.filter(sample=first).update(reasoning="newer_word")
    assert search("newer_word") == 1
    index_pending()
    assert (search("newer_word"), search("bulk_word")) == (1, MANY - 1)


def test_many_texts_that_change_are_not_found_by_their_old_words():
    stored_in_one_statement(MANY)
    index_pending()
    SampleBody.objects.update(reasoning="newer_word")
    assert (search("bulk_word"), search("newer_word")) == (0, 0)
    index_pending()
    assert search("newer_word") == MANY


def test_a_change_of_another_column_leaves_the_text_indexed():
    stored_in_one_statement(MANY)
    index_pending()
    SampleBody.objects.update(feedback="none")
    assert (pending.count(), search("bulk_word")) == (0, MANY)


def test_a_text_that_is_deleted_while_it_waits_waits_no_more():
    stored_in_one_statement(MANY)
    SampleBody.objects.all().delete()
    assert (pending.count(), index_pending(), search("bulk_word")) == (0, 0, 0)


def test_a_program_of_many_samples_has_them_indexed_behind_it():
    task = make_task("old_program = 1")
    for _ in range(MANY):
        make_sample(task)
    TaskBody.objects.filter(task=task).update(pytorch_code="new_program = 1")
    assert (search("old_program"), search("new_program")) == (0, 0)
    index_pending()
    assert search("new_program") == MANY


@pytest.mark.django_db(transaction=True)
def test_a_writer_of_a_text_that_is_being_indexed_waits_and_its_newer_text_is_the_one_that_is_found():
    first, *_ = stored_in_one_statement(MANY)

    def change():
        try:
            SampleBody.objects.filter(sample=first).update(reasoning="newer_word")
        finally:
            connection.close()

    writer = threading.Thread(target=change)
    with transaction.atomic():
        pending.index(pending.some())
        writer.start()
        writer.join(timeout=0.2)
        assert writer.is_alive()
    writer.join()
    assert (search("newer_word"), search("bulk_word"), pending.count()) == (1, MANY - 1, 0)


def test_texts_that_wait_are_indexed_by_a_run_that_is_asked_for_once():
    stored_in_one_statement(MANY)
    runs.request_search(MANY + 1)
    assert not MaintenanceRun.objects.exists()
    runs.request_search(MANY)
    runs.request_search()
    runs.run(MaintenanceRun.objects.get().pk)
    assert (MaintenanceRun.objects.get().done, pending.count(), search("bulk_word")) == (MANY, 0, MANY)
