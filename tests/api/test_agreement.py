"""Tests of /api/v1/agreement/: who reads it, and that it has the page's numbers."""

import pytest

from datasets_app import review
from tests.factories import acting, make_sample, make_user

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
