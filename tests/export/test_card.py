import json

import pytest
import yaml

from datasets_app.accounts.actor import COMMAND
from datasets_app.export.finish import finish_files
from tests.curate.store import frozen, passed, small_store
from tests.factories import make_source

pytestmark = pytest.mark.django_db


def head(folder) -> dict:
    return yaml.safe_load((folder / "first/README.md").read_text().split("---\n")[1])


def test_the_head_is_what_the_hub_tools_read(export_folder):
    small_store()
    release = frozen()
    finish_files(release)
    said = head(export_folder)
    assert said["license"] == "mit"
    assert said["size_categories"] == ["n<1K"]
    files = {entry["split"]: entry["path"] for entry in said["configs"][0]["data_files"]}
    assert files == {split: f"data/{split}-*" for split in release.split_counts}
    assert {s["name"]: s["num_examples"] for s in said["dataset_info"][0]["splits"]} == release.split_counts
    assert said["dataset_info"][0]["features"][0] == {"name": "uuid", "dtype": "string"}


def test_several_licences_are_told_row_by_row(export_folder):
    passed()
    passed(source=make_source("other", licence=""))
    release = frozen()
    finish_files(release)
    assert head(export_folder)["license"] == "other"
    note = (export_folder / "first/LICENSE").read_text()
    assert "1 rows  MIT" in note
    assert "1 rows  no licence declared" in note


def test_a_title_with_quotes_and_a_pipe_breaks_nothing(export_folder):
    passed()
    from datasets_app.curate import freeze
    from datasets_app.curate.definition import parse
    from tests.curate.store import PASSED

    title = 'a "title": | with --- signs'
    release = freeze.create(COMMAND, name="first", definition=parse(PASSED), title=title, recipe_name="x")
    freeze.run_freeze(release.pk)
    finish_files(release)
    text = (export_folder / "first/README.md").read_text()
    assert yaml.safe_load(text.split("\n---\n")[0].removeprefix("---\n"))["pretty_name"] == title


def test_the_manifest_and_the_recipe_are_json(export_folder):
    passed()
    release = frozen()
    finish_files(release)
    manifest = json.loads((export_folder / "first/manifest.json").read_text())
    assert manifest["content_sha256"] == release.content_sha256
    assert {file["format"] for file in manifest["files"]} == {"jsonl", "parquet"}
    assert json.loads((export_folder / "first/recipe.json").read_text()) == release.definition
