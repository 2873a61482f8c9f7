import pytest

from datasets_app.curate.builtin import BUILTIN
from datasets_app.models import Recipe
from tests.api.clients import api, token_for
from tests.curate.store import PASSED
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_the_built_in_recipes_are_there():
    body = api().get("/api/v1/recipes/").json()
    assert set(body) == {"next", "previous", "results"}
    assert {recipe["name"] for recipe in body["results"]} == set(BUILTIN)
    assert api().get("/api/v1/recipes/concur/").json()["builtin"] is True


def test_a_curator_stores_and_changes_a_recipe():
    client = api(token_for(make_user("curator"), "read", "curate"))
    made = client.post("/api/v1/recipes/", {"name": "mine", "definition": PASSED})
    assert made.status_code == 201
    changed = client.put("/api/v1/recipes/mine/", {"name": "mine", "title": "Mine", "definition": PASSED})
    assert changed.json()["title"] == "Mine"
    assert Recipe.objects.get(name="mine").definition["rules"][0] == {
        "rule": "outcome",
        "outcomes": ["passed"],
    }


def test_a_fault_is_told_at_its_place():
    client = api(token_for(make_user("curator"), "curate"))
    broken = {"version": 1, "rules": [{"rule": "fastest_above", "above": -1}]}
    answer = client.post("/api/v1/recipes/", {"name": "mine", "definition": broken})
    assert answer.status_code == 400
    assert "below the least value" in answer.json()["errors"]["0.above"][0]


def test_a_built_in_recipe_is_not_changed():
    client = api(token_for(make_user("curator"), "curate"))
    answer = client.put("/api/v1/recipes/concur/", {"name": "concur", "definition": PASSED})
    assert answer.status_code == 400
    assert "Copy it" in answer.json()["errors"]["name"][0]


@pytest.mark.parametrize(("role", "scopes"), [("reader", ["read"]), ("curator", ["read"])])
def test_writing_needs_the_scope_curate(role, scopes):
    client = api(token_for(make_user(role), *scopes))
    assert client.post("/api/v1/recipes/", {"name": "mine", "definition": PASSED}).status_code == 403
