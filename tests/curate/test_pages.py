"""Tests of the curation pages without JavaScript."""

import re

import pytest
from django.urls import reverse

from datasets_app.curate import freeze
from datasets_app.models import JobState, Recipe, Release
from tests.curate.store import frozen, passed, small_store
from tests.factories import make_sample
from tests.verifications import L40, timed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def export_folder(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path


@pytest.fixture
def mine(curator) -> Recipe:
    definition = {
        "version": 1,
        "seed": 3,
        "device": "",
        "rules": [
            {"rule": "outcome", "outcomes": ["passed"]},
            {"rule": "any_of", "later": "all", "rules": []},
        ],
        "splits": {"train": 100, "validation": 0, "test": 0},
        "together": "problems",
        "allow_leaks": True,
    }
    definition["rules"][1]["rules"] = [{"rule": "fastest_above", "basis": "measured", "above": 5.0}]
    owner = curator.session["_auth_user_id"]
    return Recipe.objects.create(name="mine", title="Mine", definition=definition, created_by_id=owner)


FORM = {
    "name": "mine",
    "title": "Mine",
    "description": "",
    "rule": ["0:outcome", "1:any_of", "1.0:fastest_above"],
    "0.outcomes": ["passed"],
    "1.later": "all",
    "1.0.basis": "measured",
    "1.0.above": "5",
    "splits.train": "100",
    "splits.validation": "0",
    "splits.test": "0",
    "together": "problems",
    "allow_leaks": "1",
    "seed": "3",
}


def rules_of(answer) -> list:
    return [(form.place, form.rule.name) for form in every(answer.context["draft"].rules())]


def every(forms):
    for form in forms:
        yield form
        yield from every(form.inner)


def funnel(answer) -> list[int]:
    return [step["rows_out"] for step in answer.context["steps"]]


def test_the_list_names_the_built_in_recipes_and_teaches_an_empty_store(reader):
    text = reader.get("/curate/").content.decode()
    assert "concur" in text
    assert "verified-accepted" in text
    assert "There are no samples to choose from yet" in text


def test_the_list_costs_a_fixed_number_of_queries(reader, mine, django_assert_num_queries):
    reader.get("/curate/")
    with django_assert_num_queries(
        4
    ) as asked:  # session, account with its role, recipes, whether there is a sample
        reader.get("/curate/")
    assert not any("body" in query["sql"] for query in asked.captured_queries)


@pytest.mark.parametrize("name", ["concur", "verified-accepted", "mine"])
def test_a_recipe_shows_its_rules_and_its_funnel(reader, mine, name):
    small_store()
    answer = reader.get(f"/curate/{name}/")
    assert answer.status_code == 200
    assert len(answer.context["steps"]) == len(Recipe.objects.get(name=name).definition["rules"])


def test_a_form_read_back_is_the_same_recipe(curator, mine):
    answer = curator.post("/curate/mine/", FORM)
    assert answer.context["draft"].data == {
        **mine.definition,
        "splits": {"train": 100, "validation": 0, "test": 0},
    }
    assert answer.context["changed"] is False


@pytest.mark.parametrize(
    ("button", "expected"),
    [
        ({"do": "down:0"}, [("0", "any_of"), ("0.0", "fastest_above"), ("1", "outcome")]),
        ({"do": "up:0"}, [("0", "outcome"), ("1", "any_of"), ("1.0", "fastest_above")]),
        ({"do": "remove:0"}, [("0", "any_of"), ("0.0", "fastest_above")]),
        ({"do": "remove:1.0"}, [("0", "outcome"), ("1", "any_of")]),
        (
            {"do": "add:", "new": "has_trace"},
            [("0", "outcome"), ("1", "any_of"), ("1.0", "fastest_above"), ("2", "has_trace")],
        ),
        (
            {"do": "add:1", "new.1": "single_operator"},
            [("0", "outcome"), ("1", "any_of"), ("1.0", "fastest_above"), ("1.1", "single_operator")],
        ),
        ({"do": "remove:9"}, [("0", "outcome"), ("1", "any_of"), ("1.0", "fastest_above")]),
        ({"do": "up:x"}, [("0", "outcome"), ("1", "any_of"), ("1.0", "fastest_above")]),
    ],
)
def test_buttons_move_add_and_remove_rules_and_store_nothing(curator, mine, button, expected):
    answer = curator.post("/curate/mine/", FORM | button)
    assert rules_of(answer) == expected
    assert Recipe.objects.get(name="mine").definition == mine.definition


def test_the_funnel_follows_what_is_typed(curator, mine):
    small_store()
    assert funnel(curator.post("/curate/mine/", FORM)) == [20, 5]
    assert funnel(curator.post("/curate/mine/", FORM | {"1.0.above": "8"})) == [20, 2]


def test_a_value_that_no_rule_takes_is_shown_again_with_its_fault_beside_it(curator, mine):
    text = curator.post("/curate/mine/", FORM | {"1.0.above": "-2", "do": "save"}).content.decode()
    assert re.search(r'name="1.0.above"[^>]*value="-2"[^>]*aria-invalid="true"', text, re.DOTALL)
    assert "-2 is below the least value, 0." in text
    assert Recipe.objects.get(name="mine").definition == mine.definition


def test_the_head_of_a_recipe_leads_to_its_freeze(curator, reader, mine):
    pages = (curator.get("/curate/mine/"), reader.get("/curate/mine/"), curator.get("/curate/new/"))
    assert ['href="#freeze"' in page.content.decode() for page in pages] == [True, False, False]


def test_saving_stores_the_recipe(curator, mine):
    answer = curator.post("/curate/mine/", FORM | {"1.0.above": "8", "do": "save"})
    assert answer.url == "/curate/mine/"
    assert Recipe.objects.get(name="mine").definition["rules"][1]["rules"][0]["above"] == 8


@pytest.mark.parametrize("button", [{"do": "save"}, {"do": "add:", "new": "has_trace"}])
def test_the_draft_of_a_recipe_that_somebody_deleted_is_not_lost(curator, mine, button):
    form = FORM | {"name": "mine", "1.0.above": "8", "based_on": "1"}
    mine.delete()
    answer = curator.post("/curate/mine/", form | button)
    text = answer.content.decode()
    assert "There is no recipe mine any more" in text
    assert 'action="/curate/new/"' in text
    assert 'name="based_on"' not in text
    assert rules_of(answer)[:3] == [("0", "outcome"), ("1", "any_of"), ("1.0", "fastest_above")]
    assert not Recipe.objects.filter(name="mine").exists()
    del form["based_on"]
    assert curator.post("/curate/new/", form | {"do": "save"}).url == "/curate/mine/"
    assert Recipe.objects.get(name="mine").definition["rules"][1]["rules"][0]["above"] == 8


def test_a_recipe_that_never_was_is_not_found(curator):
    assert curator.get("/curate/nothing/").status_code == 404


def test_a_new_recipe_is_made_from_nothing(curator):
    answer = curator.post(
        "/curate/new/", {"do": "add:", "new": "has_trace", "name": "fresh", "splits.train": "100"}
    )
    assert rules_of(answer) == [("0", "has_trace")]
    form = {"rule": "0:has_trace", "name": "fresh", "splits.train": "100", "seed": "1", "do": "save"}
    assert curator.post("/curate/new/", form).url == "/curate/fresh/"


def test_a_reader_may_try_but_not_save(reader, mine):
    small_store()
    assert funnel(reader.post("/curate/mine/", FORM)) == [20, 5]
    assert reader.post("/curate/mine/", FORM | {"do": "save"}).status_code == 403


def test_a_built_in_recipe_is_copied_not_changed(curator):
    answer = curator.post("/curate/concur/copy/")
    assert answer.url == "/curate/concur-copy/"
    assert Recipe.objects.get(name="concur-copy").builtin is False
    assert "Copy it to change it" in curator.post("/curate/concur/", FORM | {"do": "save"}).content.decode()
    assert curator.post("/curate/concur/delete/").status_code == 403


def test_htmx_gets_the_funnel_alone_while_somebody_types(curator, mine):
    head = {"HX-Request": "true", "HX-Target": "funnel"}
    text = curator.post("/curate/mine/", FORM | {"1.0.above": "x"}, headers=head).content.decode()
    assert text.lstrip().startswith("<section")
    assert "<html" not in text
    assert 'id="ef-1-0-above" class="errorlist" hx-swap-oob="true">Speedup over: ' in text
    assert 'hx-swap-oob="true">1 thing to fix ↓</a>' in text


def test_what_a_rule_dropped_is_listed_with_links(reader, mine):
    sample = make_sample()
    text = reader.get("/curate/mine/").content.decode()
    assert reverse("sample", args=[sample.pk]) in text
    assert "nothing decided on the device" in text


def test_freezing_from_the_page(curator, mine):
    small_store()
    answer = curator.post("/curate/mine/freeze/", {"name": "r1", "title": "First", "notes": "a note"})
    assert answer.url == "/releases/r1/"
    assert "Waiting for a site worker" in curator.get("/releases/r1/").content.decode()
    freeze.run_freeze(Release.objects.get().pk)
    text = curator.get("/releases/r1/").content.decode()
    assert Release.objects.get().content_sha256 in text
    assert "a note" in text


def test_a_name_that_is_taken_is_told(curator, mine):
    small_store()
    frozen("r1")
    answer = curator.post("/curate/mine/freeze/", {"name": "r1"}, follow=True)
    assert "There is a release r1 already" in answer.content.decode()


def test_a_failed_release_says_why_and_can_be_tried_again(curator):
    make_sample()
    release = frozen()
    assert "chooses no sample" in curator.get("/releases/first/").content.decode()
    passed()
    curator.post("/releases/first/retry/")
    assert Release.objects.get().state == JobState.QUEUED
    freeze.run_freeze(release.pk)
    assert Release.objects.get().state == JobState.DONE


@pytest.mark.parametrize("path", ["copy", "freeze", "delete"])
def test_a_reader_changes_nothing(reader, mine, path):
    assert reader.post(f"/curate/mine/{path}/", {"name": "x"}).status_code == 403


def test_the_list_of_releases_costs_a_fixed_number_of_queries(reader, django_assert_num_queries):
    small_store()
    frozen("one")
    frozen("two")
    reader.get("/releases/")
    with django_assert_num_queries(3) as asked:  # session, account with its role, releases
        assert "one" in reader.get("/releases/").content.decode()
    assert not any("body" in query["sql"] for query in asked.captured_queries)


def test_a_release_page_costs_a_fixed_number_of_queries(reader, django_assert_num_queries):
    small_store()
    frozen("one")
    reader.get("/releases/one/")
    with django_assert_num_queries(6) as asked:
        reader.get("/releases/one/")
    bodies = [query["sql"].upper() for query in asked.captured_queries if "body" in query["sql"]]
    assert all("SUBSTR" in sql for sql in bodies)  # of long texts, the beginnings


def test_an_empty_list_of_releases_teaches(reader):
    assert "manage.py release create first" in reader.get("/releases/").content.decode()


def test_a_format_can_be_asked_for_again(curator):
    passed()
    release = frozen()
    release.exports.filter(format="jsonl").update(
        state="failed", error="disk full", finished_at="2026-01-01T00:00Z"
    )
    assert "disk full" in curator.get("/releases/first/").content.decode()
    curator.post("/releases/first/export/", {"format": "jsonl"})
    assert release.exports.get(format="jsonl").state == "queued"


def test_the_funnel_names_its_device_and_another_one_can_be_chosen(curator, mine):
    sample = passed(speedup=9)
    timed(sample, 1.5, L40)
    answer = curator.get("/curate/mine/")
    assert "Reference device (NVIDIA H200)" in answer.content.decode()
    assert "evidence on NVIDIA H200" in answer.content.decode()
    assert funnel(answer) == [1, 1]
    elsewhere = curator.post("/curate/mine/", FORM | {"device": L40})
    assert "evidence on NVIDIA L40" in elsewhere.content.decode()
    assert funnel(elsewhere) == [1, 0]
    curator.post("/curate/mine/", FORM | {"device": L40, "do": "save"})
    assert Recipe.objects.get(name="mine").definition["device"] == L40


def test_a_release_names_the_device_of_its_evidence(reader):
    passed()
    frozen()
    assert "<dt>Evidence on</dt><dd>NVIDIA H200</dd>" in reader.get("/releases/first/").content.decode()
