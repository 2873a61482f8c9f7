"""Tests of a recipe's versions: what makes one, two people at once, restoring, releases, REST, commands, pages."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from datasets_app.accounts.actor import COMMAND
from datasets_app.curate import freeze, recipes
from datasets_app.curate.definition import RecipeError, parse
from datasets_app.curate.recipe_versions import find, history, restore
from datasets_app.models import Recipe, RecipeVersion
from datasets_app.models.append_only import AppendOnlyError
from tests.api.clients import api, token_for
from tests.curate.rows import recipe
from tests.curate.store import BY_TASK, small_store
from tests.factories import acting, make_user

TRACE = {"rule": "has_trace"}
FAST = {"rule": "fastest_above", "above": 5}


def saved(*rules, into=None, actor=COMMAND, **options) -> Recipe:
    words = {"title": "", "description": ""} | {key: options.pop(key) for key in ("title",) if key in options}
    return recipes.save(actor, recipe(*rules, **BY_TASK), name="mine", recipe=into, **words, **options)


# --- Versions ---


@pytest.mark.django_db
def test_a_changed_definition_makes_a_version_and_an_unchanged_one_none():
    mine = saved(TRACE)
    mine = saved(TRACE, into=mine)
    assert (mine.version, mine.save_count) == (1, 1)
    mine = saved(TRACE, into=mine, title="Only words")
    assert (mine.version, mine.save_count, mine.title) == (1, 2, "Only words")
    mine = saved(TRACE, FAST, into=mine, message="Faster ones only")
    assert (mine.version, mine.save_count) == (2, 3)
    assert [(v.number, v.message) for v in mine.versions.all()] == [(2, "Faster ones only"), (1, "")]


@pytest.mark.django_db
def test_a_version_is_never_changed():
    version = saved(TRACE).versions.get()
    with pytest.raises(AppendOnlyError):
        version.save()


@pytest.mark.django_db
def test_every_built_in_recipe_has_its_first_version():
    assert set(RecipeVersion.objects.values_list("recipe__name", "number")) == {
        (name, 1) for name in Recipe.objects.values_list("name", flat=True)
    }


@pytest.mark.django_db
def test_the_second_of_two_who_save_at_once_is_told_who_was_first_and_nothing_is_stored():
    mine = saved(TRACE)
    saved(
        FAST,
        into=mine,
        actor=acting(make_user("administrator", "ada")),
        message="Speed",
        based_on=mine.save_count,
    )
    with pytest.raises(
        recipes.RecipeOutdatedError, match=r"version is 2 by ada .“Speed”.\. Nothing was stored"
    ):
        saved(TRACE, FAST, into=mine, based_on=mine.save_count)
    assert Recipe.objects.get(pk=mine.pk).definition["rules"][0]["rule"] == "fastest_above"


@pytest.mark.django_db
def test_words_that_somebody_changed_meanwhile_are_not_overwritten_either():
    mine = saved(TRACE)
    saved(TRACE, into=mine, title="Theirs", based_on=1)
    with pytest.raises(recipes.RecipeOutdatedError):
        saved(TRACE, into=mine, title="Ours", based_on=1)


@pytest.mark.django_db
def test_a_recipe_that_was_deleted_meanwhile_is_refused_in_a_sentence():
    mine = saved(TRACE)
    Recipe.objects.filter(pk=mine.pk).delete()
    with pytest.raises(RecipeError, match="was deleted meanwhile"):
        saved(FAST, into=mine)


@pytest.mark.django_db
def test_an_old_version_is_saved_again_as_the_newest():
    mine = saved(TRACE)
    mine = saved(FAST, into=mine)
    mine = restore(COMMAND, mine, 1)
    assert mine.version == 3
    assert mine.definition["rules"] == [TRACE]
    assert mine.versions.first().message == "Restores version 1"
    assert restore(COMMAND, mine, 3).version == 3
    with pytest.raises(RecipeError, match="has no version 9"):
        restore(COMMAND, mine, 9)


@pytest.mark.django_db
def test_a_recipe_is_found_by_name_and_version():
    saved(FAST, into=saved(TRACE))
    assert find("mine").number == 2
    assert find("mine@1").definition.rules[0].name == "has_trace"
    assert find("nobody's") is find("other") is None
    with pytest.raises(RecipeError, match="has no version 7: its newest one is 2"):
        find("mine@7")


@pytest.mark.django_db
def test_a_version_with_a_rule_that_the_project_lost_is_listed_with_the_reason():
    mine = saved(TRACE)
    RecipeVersion.objects.create(recipe=mine, number=2, definition={"rules": [{"rule": "lost"}]})
    newest, first = history(mine)
    assert "'lost' is not a rule" in newest.fault
    assert first.changes == []


@pytest.mark.django_db
def test_a_history_takes_one_query(django_assert_num_queries):
    mine = saved(FAST, into=saved(TRACE))
    with django_assert_num_queries(1):
        assert [len(entry.changes) for entry in history(mine)] == [2, 0]


# --- Releases, REST, commands, pages ---


@pytest.mark.django_db
def test_a_release_names_the_version_it_was_frozen_from():
    mine = saved(TRACE)
    first = freeze.create(COMMAND, name="one", definition=parse(mine.definition), recipe=mine)
    saved(FAST, into=mine)
    older = find("mine@1")
    again = freeze.create(
        COMMAND, name="two", definition=older.definition, recipe=older.recipe, recipe_version=older.number
    )
    own = freeze.create(COMMAND, name="three", definition=older.definition, recipe_name="test")
    assert (first.recipe_version, again.recipe_version, own.recipe_version) == (1, 1, None)


@pytest.mark.django_db
def test_rest_lists_versions_refuses_an_old_count_with_409_and_restores():
    client = api(token_for(make_user("curator"), "read", "curate"))
    made = client.post("/api/v1/recipes/", {"name": "mine", "definition": recipe(TRACE)}).json()
    body = {"name": "mine", "definition": recipe(FAST), "based_on": made["save_count"], "message": "Speed"}
    assert client.put("/api/v1/recipes/mine/", body).json()["version"] == 2
    conflict = client.put("/api/v1/recipes/mine/", {**body, "definition": recipe(TRACE, FAST)})
    assert conflict.status_code == 409
    assert "Nothing was stored" in conflict.json()["detail"]
    newest, first = client.get("/api/v1/recipes/mine/versions/").json()["results"]
    assert (newest["number"], newest["message"], newest["changes"][0][:13]) == (2, "Speed", "Former rule 1")
    assert first["definition"]["rules"] == [TRACE]
    assert client.get("/api/v1/recipes/mine/versions/1/").json() == first
    assert client.get("/api/v1/recipes/mine/versions/9/").status_code == 404
    restored = client.post("/api/v1/recipes/mine/versions/1/", {"based_on": 2})
    assert (restored.status_code, restored.json()["version"]) == (200, 3)
    assert client.post("/api/v1/recipes/mine/versions/1/", {"based_on": 2}).status_code == 409


@pytest.mark.django_db
def test_rest_freezes_an_old_version():
    saved(FAST, into=saved(TRACE))
    client = api(token_for(make_user("curator"), "read", "curate"))
    made = client.post("/api/v1/releases/", {"name": "old", "recipe": "mine@1"}).json()
    assert (made["recipe_name"], made["recipe_version"]) == ("mine", 1)
    refused = client.post("/api/v1/releases/", {"name": "new", "recipe": "mine@5"})
    assert "no version 5" in refused.json()["errors"]["recipe"][0]


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("recipes", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.mark.django_db
def test_commands_write_and_read_files_byte_for_byte(tmp_path):
    saved(FAST, into=saved(TRACE))
    for form in ("json", "toml"):
        (name,) = json.loads(run("export", "mine", "--form", form, "--out", str(tmp_path)))["files"]
        first = (tmp_path / f"mine.{form}").read_bytes()
        assert json.loads(run("import", name, "--as-version")) == {
            "recipes": {"mine": "unchanged"},
            "refused": 0,
        }
        assert json.loads(run("import", name, "--name", f"copy-{form}"))["recipes"] == {
            f"copy-{form}": "created"
        }
        assert run("export", "mine", "--form", form).encode() == first
    older = run("export", "mine@1")
    (tmp_path / "older.json").write_text(older)
    assert json.loads(run("import", str(tmp_path / "older.json"), "--as-version"))["recipes"] == {
        "mine": "changed"
    }
    assert json.loads(run("versions", "mine"))["versions"] == [3, 2, 1]


@pytest.mark.django_db
def test_a_refused_file_ends_the_command_with_1_and_the_others_are_stored(tmp_path, capsys):
    (tmp_path / "good.toml").write_text('name = "good"\n')
    (tmp_path / "bad.toml").write_text("seed = -1\n")
    with pytest.raises(SystemExit) as ended:
        call_command("recipes", "import", str(tmp_path / "bad.toml"), str(tmp_path / "good.toml"))
    assert ended.value.code == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"recipes": {"good": "created"}, "refused": 1}
    assert "bad.toml: Line 1: The seed is" in printed.err


@pytest.mark.django_db
def test_an_unknown_recipe_is_refused_with_the_known_ones():
    with pytest.raises(CommandError, match=r"no recipe 'nothing'\. Recipes: concur"):
        run("export", "nothing")


def form(**more) -> dict:
    return {"name": "mine", "rule": "0:has_trace", "splits.train": "100", "seed": "7", "do": "save", **more}


@pytest.mark.django_db
def test_the_page_keeps_what_the_second_typed_and_saves_it_on_top(client):
    curator = make_user("curator")
    client.force_login(curator)
    mine = saved(FAST, actor=acting(curator))
    saved(TRACE, FAST, into=mine, actor=acting(curator), message="Theirs")
    late = client.post("/curate/mine/", form(based_on="1", message="Ours", title="Typed"))
    page = late.content.decode()
    assert "was saved since you opened it" in page
    assert "Former rule 2 removed: The fastest kernel" in page
    assert 'value="Ours"' in page
    assert 'value="Typed"' in page
    assert 'name="based_on" value="2"' in page
    assert client.post("/curate/mine/", form(based_on="2", message="Ours")).status_code == 302
    assert Recipe.objects.get(name="mine").version == 3


@pytest.mark.django_db
def test_the_versions_page_says_what_changed_and_restores(client):
    curator = make_user("curator")
    client.force_login(curator)
    mine = saved(FAST, into=saved(TRACE, actor=acting(curator)), message="<b>Speed</b>")
    page = client.get("/curate/mine/versions/").content.decode()
    assert "&lt;b&gt;Speed&lt;/b&gt;" in page
    assert "Former rule 1 removed: Has a reasoning trace" in page
    assert client.post("/curate/mine/versions/1/restore/", {"based_on": mine.save_count}).status_code == 302
    late = client.post("/curate/mine/versions/2/restore/", {"based_on": mine.save_count}, follow=True)
    assert "was saved since you opened it" in late.content.decode()
    assert Recipe.objects.get(name="mine").version == 3


@pytest.mark.django_db
def test_a_copy_gets_a_name_that_is_free_in_any_case():
    first = recipes.save(COMMAND, recipe(TRACE), name="Fast", title="", description="")
    recipes.save(COMMAND, recipe(TRACE), name="fast-copy", title="", description="")
    assert recipes.copy(COMMAND, first).name == "Fast-copy-2"


@pytest.mark.django_db
def test_two_versions_are_compared_in_words_and_rows(reader):
    small_store()
    saved({"rule": "outcome"}, FAST, into=saved({"rule": "outcome"}))
    answer = reader.get("/curate/compare/?one=mine@1&other=mine@2")
    page = answer.content.decode()
    assert "Rule 2 added: The fastest kernel" in page
    assert answer.context["comparison"].only_one_count == 15
    assert reader.get("/curate/compare/?one=mine@1&other=mine@9").status_code == 400


@pytest.mark.django_db
def test_a_recipe_is_downloaded_and_imported_on_the_page(client):
    client.force_login(make_user("curator"))
    saved(FAST, into=saved(TRACE))
    sent = client.get("/curate/mine/recipe.toml?version=1")
    assert sent["Content-Type"] == "application/toml; charset=utf-8"
    assert client.get("/curate/mine/recipe.xml").status_code == 404
    assert client.get("/curate/mine/recipe.toml?version=8").status_code == 404
    text = sent.content.decode()
    refused = client.post("/curate/import/", {"text": text.replace('"has_trace"', '"has_traces"')})
    assert refused.status_code == 400
    page = refused.content.decode()
    assert "rule 1: &#x27;has_traces&#x27; is not a rule" in page
    assert "name = &quot;mine&quot;" in page
    taken = client.post("/curate/import/", {"text": text})
    assert "There is a recipe mine already" in taken.content.decode()
    assert client.post("/curate/import/", {"text": text, "name": "again"}).status_code == 302
    assert client.get("/curate/again/recipe.toml").content.decode() == text.replace('"mine"', '"again"')


@pytest.mark.django_db
def test_somebody_elses_recipe_gets_no_version_from_an_import(client):
    client.force_login(make_user("curator"))
    saved(TRACE)
    text = client.get("/curate/mine/recipe.json").content.decode().replace("has_trace", "not_superseded")
    assert client.post("/curate/import/", {"text": text, "as_version": "on"}).status_code == 403
