"""Tests that pages ask at once which of the tables that are seldom needed have a row, and read those alone."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from datasets_app import review
from datasets_app.models import Environment, SavedView
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


def tables_read(client, address):
    """Return the tables that a page's queries read first, and the page."""
    with CaptureQueriesContext(connection) as queries:
        page = client.get(address).content.decode()
    read = {query["sql"].partition(' FROM "datasets_app_')[2].partition('"')[0] for query in queries}
    return read, page


def test_of_a_sample_that_has_none_of_it_no_note_tag_edit_review_claim_queue_or_turn_is_read(curator):
    sample = make_sample()
    read, page = tables_read(curator, sample.get_absolute_url())
    assert not read & {"note", "sampletag", "edit", "review", "reviewclaim", "queueitem"}
    assert "No reviews yet" in page


def test_of_a_sample_in_review_the_reviews_and_the_claim_are_read(annotator):
    sample = make_sample()
    ben = make_user("annotator", "ben")
    review.submit_review(sample, acting(ben), "reject")
    review.claim(sample, acting(ben))
    read, page = tables_read(annotator, sample.get_absolute_url())
    assert {"review", "reviewclaim"} <= read
    assert "ben has this sample open for review" in page.replace("</span>", "")


def test_a_list_reads_views_tags_actions_and_waiting_runs_only_where_there_are_any(annotator):
    make_sample()
    read, _ = tables_read(annotator, "/browse/?outcome=none")
    assert not read & {"savedview", "sampletag", "bulkaction", "verification"}
    SavedView.objects.create(name="mine", owner_id=annotator.session["_auth_user_id"], query="outcome=none")
    read, page = tables_read(annotator, "/browse/?outcome=none")
    assert "savedview" in read
    assert "mine" in page


def test_a_task_reads_changed_environments_only_where_there_are_any(reader):
    task = make_sample().task
    read, _ = tables_read(reader, task.get_absolute_url())
    assert not read & {"environment", "taskfinding", "preference", "verification"}
    Environment.objects.create(key="a", changed="engine 0.3 → 0.4")
    read, _ = tables_read(reader, task.get_absolute_url())
    assert "environment" in read


def test_a_reviewer_without_reviews_has_none_read(annotator):
    make_sample()
    read, page = tables_read(annotator, "/review/")
    assert not read & {"reviewclaim", "reviewdraft"}
    assert "You have not reviewed anything yet" in page
    assert "Your day" not in page
