"""Tests of /api/v1/reviews/ with a token."""

from uuid import uuid4

import pytest
from django.test import Client

from datasets_app import review
from datasets_app.accounts import api_tokens
from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Review
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
URL = "/api/v1/reviews/"


@pytest.fixture
def ada():
    return make_user("annotator", "ada")


@pytest.fixture
def api(ada):
    text = api_tokens.make_token(ada, ["annotate"], actor=COMMAND)[1]
    return Client(headers={"Authorization": f"Bearer {text}"})


def send(api, **fields):
    return api.post(URL, fields, content_type="application/json")


def test_a_review_is_stored_and_given_back(api, ada):
    sample, key = make_sample(), uuid4()
    answer = send(
        api,
        sample=str(sample.pk),
        verdict="fix",
        scores={"correctness": 4},
        reasons=["poor_code"],
        comment="tail",
        key=str(key),
        active_s=42,
    )
    assert answer.status_code == 201
    assert answer.json() == {
        "id": Review.objects.get().pk,
        "sample": str(sample.pk),
        "reviewer": "ada",
        "kind": "vote",
        "verdict": "fix",
        "rubric": 1,
        "scores": {"correctness": 4},
        "reasons": ["poor_code"],
        "comment": "tail",
        "key": str(key),
        "created_at": answer.json()["created_at"],
        "active_s": 42,
        "withdrawal": None,
    }
    sample.refresh_from_db()
    assert sample.verdict == "fix"


def test_the_same_key_again_answers_the_same_review(api):
    fields = {"sample": str(make_sample().pk), "verdict": "accept", "key": str(uuid4())}
    first, second = send(api, **fields), send(api, **fields)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()


def test_the_same_key_with_other_content_conflicts(api):
    fields = {"sample": str(make_sample().pk), "key": str(uuid4())}
    send(api, verdict="accept", **fields)
    answer = send(api, verdict="reject", **fields)
    assert answer.status_code == 409
    assert "other content" in answer.json()["detail"]
    assert Review.objects.count() == 1


def test_what_came_in_since_is_in_the_conflict_and_can_be_answered(api, ada):
    sample = make_sample()
    seen = str(review.look(sample, ada))
    review.submit_review(sample, acting(make_user("annotator", "ben")), "reject")
    refused = send(api, sample=str(sample.pk), verdict="accept", seen=seen)
    assert refused.status_code == 409
    assert [one["reviewer"] for one in refused.json()["newer"]] == ["ben"]
    again = send(api, sample=str(sample.pk), verdict="accept", seen=refused.json()["seen"])
    assert again.status_code == 201


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"verdict": "maybe"}, "verdict"),
        ({"scores": {"correctness": 6}}, "scores"),
        ({"scores": {"correctness": "much"}}, "scores"),
        ({"scores": [5]}, "scores"),
        ({"reasons": ["beauty"]}, "reasons"),
        ({"rubric": 99}, "rubric"),
        ({"sample": "no-uuid"}, "sample"),
        ({"sample": str(uuid4())}, "sample"),
        ({"key": "no-uuid"}, "key"),
        ({"seen": "made up"}, "seen"),
        ({"comment": "x" * 20_001}, "comment"),
        ({"comment": "nul \x00"}, "comment"),
    ],
)
def test_a_wrong_field_is_named(api, fields, wrong):
    answer = send(api, **{"sample": str(make_sample().pk), "verdict": "accept", **fields})
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {wrong}
    assert not Review.objects.exists()


def test_the_verdict_is_needed(api):
    assert set(send(api, sample=str(make_sample().pk)).json()["errors"]) == {"verdict"}


def test_a_trace_score_for_a_sample_without_one_is_refused(api):
    answer = send(
        api, sample=str(make_sample(reasoning="").pk), verdict="accept", scores={"trace_quality": 3}
    )
    assert answer.status_code == 400
    assert "no trace" in str(answer.json()["errors"]["scores"])


def test_reviews_come_newest_first_in_pages(api, ada):
    for verdict in ("accept", "fix", "reject"):
        review.submit_review(make_sample(), acting(ada), verdict)
    first = api.get(URL, {"limit": 2}).json()
    assert set(first) == {"next", "previous", "results"}
    assert [row["verdict"] for row in first["results"]] == ["reject", "fix"]
    assert [row["verdict"] for row in api.get(first["next"]).json()["results"]] == ["accept"]


def test_filters_choose(api, ada):
    sample, other = make_sample(), make_sample()
    review.submit_review(sample, acting(ada), "accept")
    review.submit_review(other, acting(make_user("annotator", "ben")), "reject")
    for wanted in ({"sample": str(sample.pk)}, {"reviewer": "ada"}, {"verdict": "accept"}):
        assert [row["sample"] for row in api.get(URL, wanted).json()["results"]] == [str(sample.pk)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"sample": "x"},
        {"verdict": "maybe"},
        {"limit": "ten"},
        {"limit": "0"},
        {"limit": "-3"},
        {"limit": "9" * 5000},
        {"cursor": "x"},
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(api, wrong):
    assert api.get(URL, wrong).status_code in (400, 404)


def test_a_list_costs_the_same_however_long(api, ada, django_assert_num_queries):
    for _ in range(9):
        review.submit_review(make_sample(), acting(ada), "accept")
    api.get(URL)
    with django_assert_num_queries(3):
        api.get(URL)


def test_a_blind_site_gives_only_reviews_of_what_one_has_judged(api, ada, settings):
    settings.REVIEW_BLIND = True
    judged, other = make_sample(), make_sample()
    ben = make_user("annotator", "ben")
    review.submit_review(judged, acting(ben), "reject")
    review.submit_review(other, acting(ben), "reject")
    review.submit_review(judged, acting(ada), "accept")
    assert {row["sample"] for row in api.get(URL).json()["results"]} == {str(judged.pk)}


def test_a_request_that_says_it_saw_reviews_is_shown_none_in_blind_review(api, settings):
    settings.REVIEW_BLIND = True
    sample = make_sample()
    review.submit_review(sample, acting(make_user("annotator", "ben")), "reject", comment="hidden words")
    made_up = send(api, sample=str(sample.pk), verdict="accept", seen="open~0~2026-01-01~0~")
    assert made_up.status_code == 409
    assert made_up.json()["newer"] == []
    assert send(api, sample=str(sample.pk), verdict="accept", seen="open~0~~0~").status_code == 201


def test_a_conflict_of_a_blind_sample_gives_a_state_that_is_blind(api, settings):
    settings.REVIEW_BLIND = True
    sample = make_sample()
    review.submit_review(sample, acting(make_user("annotator", "ben")), "reject")
    refused = send(api, sample=str(sample.pk), verdict="accept", seen="open~0~2026-01-01~0~").json()
    assert refused["seen"] == "blind~0~~0~"
