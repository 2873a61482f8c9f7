"""Tests of /api/v1/preferences/ and of a task's ranking."""

from uuid import uuid4

import pytest
from django.urls import reverse

from datasets_app.models import Preference
from datasets_app.review.preferences import submit_preference
from tests.factories import make_sample, make_task

pytestmark = pytest.mark.django_db
LIST = "/api/v1/preferences/"


@pytest.fixture
def pair():
    task = make_task()
    return make_sample(task), make_sample(task)


def body(pair, choice="left", **more):
    return {"left": str(pair[0].pk), "right": str(pair[1].pk), "choice": choice, **more}


def post(client, address, given):
    return client.post(address, given, content_type="application/json")


def test_a_preference_is_stored_listed_and_repeated_without_effect(client, ada, pair):
    client.force_login(ada.user)
    given = body(pair, reason="no race", key=str(uuid4()))
    first, again = post(client, LIST, given), post(client, LIST, given)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    (row,) = client.get(LIST, {"task": str(pair[0].task_id), "reviewer": "ada"}).json()["results"]
    assert (row["choice"], row["reason"], row["withdrawal"]) == ("left", "no race", None)
    assert client.get(LIST, {"choice": "tie"}).json()["results"] == []


def test_conflicts_and_invalid_pairs_end_in_a_sentence(client, ada, pair):
    client.force_login(ada.user)
    post(client, LIST, body(pair))
    second = post(client, LIST, body(pair, "right"))
    assert (second.status_code, "compared these two" in second.json()["detail"]) == (409, True)
    apart = post(client, LIST, body((pair[0], make_sample())))
    assert (apart.status_code, "two tasks" in str(apart.json())) == (400, True)
    assert post(client, LIST, body(pair, "best")).status_code == 400
    assert post(client, LIST, {"left": "x", "right": 7, "choice": "left"}).status_code == 400


def test_a_preference_is_withdrawn_with_a_reason_by_its_reviewer(client, ada, ben, pair):
    address = reverse("api-preference-withdraw", args=[submit_preference(*pair, ada, "left").pk])
    client.force_login(ben.user)
    assert post(client, address, {"reason": "I disagree"}).status_code == 403
    client.force_login(ada.user)
    assert post(client, address, {"reason": ""}).status_code == 400
    assert post(client, address, {"reason": "misread"}).json()["withdrawal"]["reason"] == "misread"
    assert post(client, address, {"reason": "other"}).status_code == 409
    assert Preference.objects.get().is_withdrawn


def test_a_task_is_ranked_by_its_preferences(client, ada, ben, pair):
    for actor in (ada, ben):
        submit_preference(*pair, actor, "right")
    client.force_login(ada.user)
    ranking = client.get(reverse("api-task-ranking", args=[pair[0].task_id])).json()
    best, worst = ranking["rows"]
    assert ranking["comparisons"] == 2
    assert (best["sample"], best["place"], best["won"], best["lost"]) == (str(pair[1].pk), 1, 2, 0)
    assert best["strength_low"] < best["strength"] < best["strength_high"]
    assert best["chance"] == pytest.approx(1 - worst["chance"])
    assert client.get(reverse("api-task-ranking", args=[uuid4()])).status_code == 404


def test_where_the_site_reviews_blind_a_ranking_is_of_own_preferences(client, ada, ben, pair, settings):
    submit_preference(*pair, ben, "left")
    settings.REVIEW_BLIND = True
    client.force_login(ada.user)
    ranking = client.get(reverse("api-task-ranking", args=[pair[0].task_id])).json()
    assert (ranking["rows"], ranking["own_only"]) == ([], True)
    assert client.get(LIST).json()["results"] == []


def test_the_page_of_a_task_ranks_its_samples_once_some_were_compared(client, ada, pair):
    client.force_login(ada.user)
    address = pair[0].task.get_absolute_url()
    assert "Preferred kernels" not in client.get(address).content.decode()
    submit_preference(*pair, ada, "tie")
    page = client.get(address).content.decode()
    assert "Preferred kernels" in page
    assert "From 1 comparison." in page
