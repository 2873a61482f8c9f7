import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from datasets_app.models import Release, Sample
from tests.curate.store import PASSED, passed, small_store

pytestmark = pytest.mark.django_db


def said(*args) -> dict:
    out = StringIO()
    call_command(*args, stdout=out, stderr=StringIO())
    return json.loads(out.getvalue().splitlines()[-1])


@pytest.fixture
def recipe_file(tmp_path):
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(PASSED))
    return str(path)


def test_create_with_a_recipe_file_says_rows_splits_and_hash(recipe_file):
    small_store()
    result = said("release", "create", "mine", "--recipe", recipe_file, "--wait")
    release = Release.objects.get(name="mine")
    assert (result["rows"], result["splits"], result["sha256"]) == (
        20,
        release.split_counts,
        release.content_sha256,
    )
    assert "README.md" in result["files"]


def test_create_with_a_built_in_recipe():
    small_store()
    result = said("release", "create", "mine", "--recipe", "concur", "--wait")
    assert result["tasks"] == 10
    assert Release.objects.get().counts["reason"]["fastest_is_shortest"] > 0


def test_create_without_waiting_queues(recipe_file):
    small_store()
    assert said("release", "create", "mine", "--recipe", recipe_file)["state"] == "queued"


def test_an_unknown_recipe_is_told_with_the_known_ones():
    with pytest.raises(
        CommandError, match=r"neither a recipe \(concur, .*, verified-accepted\) nor a readable"
    ):
        call_command("release", "create", "mine", "--recipe", "nosuch", "--wait")


def test_a_recipe_that_chooses_nothing_is_an_error(recipe_file):
    with pytest.raises(CommandError, match="chooses no sample"):
        call_command("release", "create", "mine", "--recipe", recipe_file, "--wait")


def test_check_exits_with_1_on_a_difference_and_0_without(recipe_file, capsys):
    small_store()
    said("release", "create", "mine", "--recipe", recipe_file, "--wait")
    assert said("release", "rebuild", "mine", "--check")["same"] is True
    Sample.objects.filter(outcome="passed").update(verdict="accept", reviewed_at="2026-05-05T00:00Z")
    with pytest.raises(SystemExit) as stop:
        call_command("release", "rebuild", "mine", "--check", stderr=StringIO())
    assert stop.value.code == 1


def test_check_says_that_a_sample_was_withdrawn(recipe_file, capsys):
    small_store()
    said("release", "create", "mine", "--recipe", recipe_file, "--wait")
    row = Release.objects.get().rows.first()
    Sample.objects.filter(pk=row.sample_id).update(withdrawn=True)
    complaints = StringIO()
    with pytest.raises(SystemExit):
        call_command("release", "rebuild", "mine", "--check", stderr=complaints)
    assert f"removed {row.sample_id}: the sample is withdrawn" in complaints.getvalue()


def test_export_writes_into_a_folder(recipe_file, tmp_path):
    passed()
    said("release", "create", "mine", "--recipe", recipe_file, "--wait")
    result = said("export", "mine", "--format", "parquet", "--out", str(tmp_path / "out"))
    assert result["rows"] == 1
    assert all((tmp_path / "out").rglob("*.parquet"))
    assert len(result["files"][0]["sha256"]) == 64


def test_export_of_an_unknown_release_names_those_there_are(recipe_file, tmp_path):
    passed()
    said("release", "create", "mine", "--recipe", recipe_file, "--wait")
    with pytest.raises(CommandError, match="Releases: mine"):
        call_command("export", "nosuch", "--format", "jsonl", "--out", str(tmp_path))
