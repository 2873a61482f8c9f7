"""Tests of /api/v1/queues/."""

import pytest

from datasets_app import review
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
JSON = "application/json"


def test_a_curator_runs_a_queue_by_program(curator):
    sample = make_sample()
    fields = {"name": "first look", "query": "verdict:none", "overlap": 2, "policy": "majority"}
    made = curator.post("/api/v1/queues/", fields, content_type=JSON)
    assert made.status_code == 201
    address = f"/api/v1/queues/{made.json()['id']}/"
    assert curator.post(f"{address}open/").json() == {"added": 1, "elsewhere": 0}
    review.submit_review(sample, acting(make_user("annotator")), "accept")
    found = curator.get(address).json()
    assert found["state"] == "open"
    assert found["progress"] == {
        "samples": 1,
        "wanted": 2,
        "done": 1,
        "claimed": 0,
        "skipped": 0,
        "waiting": 1,
        "mine": 0,
    }
    changed = curator.patch(address, {"words": "read first", "seen": found["version"]}, content_type=JSON)
    assert changed.json()["words"] == "read first"
    stale = curator.patch(address, {"words": "other", "seen": found["version"]}, content_type=JSON)
    assert "Somebody changed" in stale.json()["errors"]["queue"][0]
    assert curator.post(f"{address}close/").status_code == 204


def test_a_verb_that_the_state_of_a_queue_forbids_is_a_conflict(curator):
    make_sample()
    made = curator.post("/api/v1/queues/", {"name": "q"}, content_type=JSON).json()
    address = f"/api/v1/queues/{made['id']}/"
    early = curator.post(f"{address}top-up/")
    curator.post(f"{address}open/")
    curator.post(f"{address}close/")
    late = [curator.post(f"{address}{verb}/") for verb in ("open", "top-up", "close")]
    assert [answer.status_code for answer in (early, *late)] == [409] * 4
    assert early.json()["detail"] == "The queue is not opened yet: samples are added to an open one."
    assert late[0].json()["detail"] == "The queue is closed already."


def test_an_annotator_reads_opened_queues_and_changes_none(annotator, curator):
    make_sample()
    made = curator.post("/api/v1/queues/", {"name": "q"}, content_type=JSON).json()
    address = f"/api/v1/queues/{made['id']}/"
    assert annotator.get("/api/v1/queues/").json()["results"] == []
    assert annotator.get(address).status_code == 404
    curator.post(f"{address}open/")
    assert [row["name"] for row in annotator.get("/api/v1/queues/").json()["results"]] == ["q"]
    assert annotator.patch(address, {"words": "mine"}, content_type=JSON).status_code == 403


def test_a_review_beyond_the_overlap_is_refused_with_a_sentence(annotator, curator):
    sample = make_sample()
    made = curator.post("/api/v1/queues/", {"name": "q"}, content_type=JSON).json()
    curator.post(f"/api/v1/queues/{made['id']}/open/")
    review.submit_review(sample, acting(make_user("annotator")), "accept")
    answer = annotator.post(
        "/api/v1/reviews/", {"sample": str(sample.pk), "verdict": "fix"}, content_type=JSON
    )
    assert answer.status_code == 409
    assert "wants 1 review" in answer.json()["detail"]
