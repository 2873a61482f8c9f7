"""Tests of /api/v1/agreement/: who reads it, and that it has the page's numbers."""

import pytest

from datasets_app import review
from datasets_app.review import queues
from tests.factories import acting, make_queue, make_sample, make_user

pytestmark = pytest.mark.django_db
URL = "/api/v1/agreement/"


def test_agreement_is_for_curators(client, annotator, curator):
    assert client.get(URL).status_code in (401, 403)
    assert annotator.get(URL).status_code == 403
    assert curator.get(URL).status_code == 200


def test_the_report_has_values_intervals_and_confusion(curator):
    ada, ben = make_user("annotator", "ada"), make_user("annotator", "ben")
    for verdict in ["accept"] * 4 + ["reject"] * 2:
        sample = make_sample()
        review.submit_review(sample, acting(ada), verdict)
        review.submit_review(sample, acting(ben), verdict)
    report = curator.get(URL).json()
    overall = {row["field"]: row for row in report["overall"]}
    assert overall["verdict"]["alpha"]["value"] == pytest.approx(1)
    assert overall["correctness"]["fleiss"] == {
        "samples": 0,
        "value": None,
        "low": None,
        "high": None,
        "missing": "not enough reviews",
    }
    (pair,) = report["pairs"]
    assert (pair["first"], pair["second"], pair["same"]) == ("ada", "ben", 6)
    assert pair["confusion"][0] == {"value": "Accept", "counts": [4, 0, 0]}


def test_an_unknown_field_is_refused(curator):
    answer = curator.get(URL, {"field": "charm"})
    assert answer.status_code == 400
    assert "charm" in str(answer.json())


def test_the_report_of_one_queue_and_of_one_that_does_not_exist(curator):
    ada, ben = make_user("annotator", "ada"), make_user("annotator", "ben")
    for generator in ("first", "second"):
        sample = make_sample(generator=generator)
        review.submit_review(sample, acting(ada), "accept")
        review.submit_review(sample, acting(ben), "fix")
    owner = acting(make_user("curator"))
    queue = make_queue("first look", owner, query="generator:first")
    queues.open_queue(queue, owner)
    (pair,) = curator.get(URL, {"queue": queue.pk}).json()["pairs"]
    assert (pair["samples"], curator.get(URL).json()["pairs"][0]["samples"]) == (1, 2)
    answer = curator.get(URL, {"queue": 99})
    assert (answer.status_code, "queue" in answer.json()["errors"]) == (400, True)
