"""Tests that a release's croissant.json has the form of Croissant 1.1 and speaks of the files that are there."""

import hashlib
import json
from collections.abc import Iterator

import pyarrow.parquet as pq
import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import request_export
from datasets_app.export.columns import NAMES
from datasets_app.export.finish import finish_files
from datasets_app.export.formats import FORMATS
from tests.curate.store import frozen, small_store
from tests.shared_rows import own_release, shared_release

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
DATA_TYPES = {"sc:Text", "sc:Float", "sc:Integer", "sc:Boolean"}


def metadata(export_folder, release: str = "first") -> dict:
    return json.loads((export_folder / release / "croissant.json").read_text())


def store() -> None:
    small_store()
    release = frozen("first")
    request_export(release, "chat", COMMAND)
    finish_files(release)


@pytest.fixture(scope="module")
def files(request):
    with shared_release(request, store) as folder:
        yield folder


@pytest.fixture
def made(db, files, export_folder):
    own_release(files, export_folder)
    return metadata(export_folder)


def fields(data) -> Iterator[dict]:
    for record_set in data["recordSet"]:
        for field in record_set["field"]:
            yield field
            yield from field.get("subField", [])


def test_it_has_every_property_that_croissant_requires(made):
    required = {
        "@context",
        "@type",
        "conformsTo",
        "name",
        "description",
        "license",
        "creator",
        "datePublished",
    }
    assert required <= set(made)
    assert made["@type"] == "sc:Dataset"
    assert made["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    assert made["license"] == ["MIT"]


def test_each_file_is_there_with_its_size_and_hash(made, export_folder):
    assert {file["encodingFormat"] for file in made["distribution"]} == {"application/x-parquet"}
    for file in made["distribution"]:
        data = (export_folder / "first" / file["contentUrl"]).read_bytes()
        assert (file["sha256"], file["contentSize"]) == (hashlib.sha256(data).hexdigest(), f"{len(data)} B")


def test_each_field_is_a_column_of_a_file_that_is_listed(made, export_folder):
    files = {file["@id"] for file in made["distribution"]}
    for field in fields(made):
        assert field["@type"] == "cr:Field"
        if "subField" in field:
            continue
        assert field["dataType"] in DATA_TYPES
        source = field["source"]
        assert source["fileObject"]["@id"] in files
        path = export_folder / "first" / source["fileObject"]["@id"]
        assert source["extract"]["column"] in pq.read_schema(path).names


def test_ids_are_unique_and_keys_are_fields(made):
    ids = [one["@id"] for one in (*made["distribution"], *made["recordSet"], *fields(made))]
    assert len(ids) == len(set(ids))
    for record_set in made["recordSet"]:
        assert record_set["key"]["@id"] in ids


def test_the_record_sets_are_the_splits_of_each_config(made):
    names = [record_set["@id"] for record_set in made["recordSet"]]
    assert sorted(names) == sorted(
        [*("train", "validation", "test"), *("chat/train", "chat/validation", "chat/test")]
    )
    (train,) = [one for one in made["recordSet"] if one["@id"] == "train"]
    assert tuple(field["name"] for field in train["field"]) == NAMES


def test_a_split_in_several_files_is_several_record_sets(made, monkeypatch, export_folder):
    monkeypatch.setattr(type(FORMATS["parquet"]), "rows_a_file", 11)
    release = frozen("in-parts", {"version": 1, "rules": []})
    finish_files(release)
    assert release.split_counts == {"train": 21}
    data = metadata(export_folder, "in-parts")
    assert [record_set["@id"] for record_set in data["recordSet"]] == ["train/00000", "train/00001"]


def test_it_is_in_the_hash_list(made, export_folder):
    assert "  croissant.json\n" in (export_folder / "first/SHA256SUMS").read_text()


@pytest.mark.filterwarnings("ignore")  # of mlcroissant's own dependencies
def test_mlcroissant_finds_no_fault_and_reads_the_records_of_each_config(made, export_folder):
    import mlcroissant  # here: it imports scipy and rdflib, which takes a second

    found = mlcroissant.Dataset(jsonld=export_folder / "first/croissant.json")
    assert not found.metadata.ctx.issues.errors
    assert not found.metadata.ctx.issues.warnings
    for name, path in {"train": "data", "chat/train": "chat"}.items():
        (file,) = (export_folder / "first" / path).glob("train-*.parquet")
        assert len(list(found.records(name))) == pq.read_metadata(file).num_rows > 0
