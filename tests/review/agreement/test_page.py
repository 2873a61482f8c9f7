"""Tests of the agreement page: who may read it, and what it says with few, many and no reviews."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from datasets_app import review
from tests.factories import acting, make_sample, make_user

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
    assert "-0.24 <span" in judged_text  # (20/35 - 0.653) / (1 - 0.653)
    assert "the confusion of ada and ben" in judged_text
    assert ">20</td>" in judged_text
    assert "not enough reviews" in judged_text  # trace quality and the like were not scored


def test_a_field_has_its_own_tables_and_an_unknown_one_is_refused_with_a_choice(curator):
    judged([("accept", "accept")] * 6)
    assert "Correctness, by pair of reviewers" in text_of(curator, "/review/agreement/?field=correctness")
    answer = curator.get("/review/agreement/?field=%3Cb%3Efaith")
    assert answer.status_code == 400
    assert "A review has no field “&lt;b&gt;faith”" in answer.content.decode()


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
