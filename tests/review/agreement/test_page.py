"""Tests of the agreement page: who may read it, and what it says with few, many and no reviews."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from datasets_app import review
from datasets_app.review import queues
from tests.factories import acting, make_queue, make_sample, make_user

pytestmark = pytest.mark.django_db


def judged(verdicts):
    """Store a sample per pair of verdicts, by ada and ben."""
    ada, ben = make_user("annotator", "ada"), make_user("annotator", "ben")
    for verdict, other in verdicts:
        sample = make_sample()
        review.submit_review(sample, acting(ada), verdict, {"correctness": 4})
        review.submit_review(sample, acting(ben), other, {"correctness": 2})


def text_of(client, address="/review/agreement/"):
    return client.get(address).content.decode()


def test_the_page_is_for_curators(annotator, curator):
    assert annotator.get("/review/agreement/").status_code == 403
    assert curator.get("/review/agreement/").status_code == 200
    assert "/review/agreement/" in text_of(curator, "/review/")
    assert "/review/agreement/" not in text_of(annotator, "/review/")


def test_without_reviews_the_page_says_so_and_shows_no_number(curator):
    text = text_of(curator)
    assert "not enough reviews" in text
    assert "no sample has this field from two reviewers yet" in text
    assert "0.00" not in text


def test_with_reviews_the_page_has_values_intervals_and_the_confusion(curator):
    judged([("accept", "accept")] * 20 + [("accept", "reject")] * 5 + [("reject", "accept")] * 10)
    judged_text = text_of(curator)
    assert "−0.24 <span" in judged_text  # (20/35 - 0.653) / (1 - 0.653)
    assert "the confusion of ada and ben" in judged_text
    assert ">20</td>" in judged_text
    assert "not enough reviews" in judged_text  # trace quality and the like were not scored


def test_a_field_has_its_own_tables_and_an_unknown_one_is_refused_with_a_choice(curator):
    judged([("accept", "accept")] * 6)
    assert "Correctness, by pair of reviewers" in text_of(curator, "/review/agreement/?field=correctness")
    answer = curator.get("/review/agreement/?field=%3Cb%3Efaith")
    assert answer.status_code == 400
    assert "A review has no field “&lt;b&gt;faith”" in answer.content.decode()


def test_a_queue_has_a_page_that_keeps_it_from_field_to_field(curator):
    judged([("accept", "accept")] * 6)
    owner = acting(make_user("curator"))
    queue = make_queue("first <look>", owner)
    queues.open_queue(queue, owner)
    judged_address = f"/review/agreement/?queue={queue.pk}"
    assert judged_address in text_of(curator, queue.get_absolute_url())
    text = text_of(curator, f"{judged_address}&field=correctness")
    assert f'<option value="{queue.pk}" selected>first &lt;look&gt;</option>' in text
    assert f"?queue={queue.pk}&amp;field=verdict" in text
    assert "Correctness, by pair of reviewers" in text


@pytest.mark.parametrize("queue", ["0", "x", "7", "9" * 30])
def test_a_queue_that_does_not_exist_is_refused_with_a_sentence(curator, queue):
    answer = curator.get("/review/agreement/", {"queue": queue})
    assert answer.status_code == 400
    assert "There is no such queue" in answer.content.decode()


def test_more_reviewers_cost_no_more_queries(curator):
    judged([("accept", "reject")] * 6)
    curator.get("/review/agreement/")
    with CaptureQueriesContext(connection) as few:
        curator.get("/review/agreement/")
    sample = make_sample()
    for name in ("cyd", "dee", "eve"):
        review.submit_review(sample, acting(make_user("annotator", name)), "fix")
    curator.get("/review/agreement/")
    with CaptureQueriesContext(connection) as many:
        curator.get("/review/agreement/")
    assert len(many) == len(few)
