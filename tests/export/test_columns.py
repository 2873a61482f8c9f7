"""Tests that one declaration of a column suffices to freeze, write, describe and serve it."""

import json

import pyarrow.parquet as pq
import pytest

from datasets_app.export.columns import COLUMNS, FROZEN, NAMES, OF_EVIDENCE
from datasets_app.export.finish import finish_files
from datasets_app.export.types import feature
from datasets_app.models import Sample
from tests.curate.store import frozen, passed
from tests.factories import make_sample
from tests.verifications import timed

pytestmark = pytest.mark.django_db
ALL_TRAIN = {"version": 1, "rules": []}


@pytest.fixture
def sample() -> Sample:
    return passed(profile="thorough")


@pytest.fixture
def release(sample):
    made = frozen(definition=ALL_TRAIN)
    finish_files(made)
    return made


def test_each_column_that_may_change_is_frozen(release):
    assert set(release.rows.get().snapshot) == {column.name for column in FROZEN}


def test_each_column_is_in_every_file(release, export_folder):
    (line,) = (export_folder / "first/jsonl/train.jsonl").open()
    assert tuple(json.loads(line)) == NAMES
    assert tuple(pq.read_schema(export_folder / "first/data/train-00000-of-00001.parquet").names) == NAMES


def test_each_column_is_described_on_the_card_and_in_the_manifest(release, export_folder):
    card = (export_folder / "first/README.md").read_text()
    manifest = json.loads((export_folder / "first/manifest.json").read_text())
    assert [entry["name"] for entry in manifest["columns"]] == list(NAMES)
    for column in COLUMNS:
        assert f"| {column.name} | {column.type} |" in card
        assert f"  - {feature(column)}\n" in card


def test_each_column_of_evidence_is_served_by_the_api_and_described_there(reader, sample):
    (record,) = reader.get(f"/api/v1/samples/{sample.pk}/").json()["evidence"]
    assert set(record) == {"headline", *(column.name for column in OF_EVIDENCE)}
    schema = reader.get("/api/schema/?format=json").json()["components"]["schemas"]["Evidence"]
    for column in OF_EVIDENCE:
        assert schema["properties"][column.name]["description"] == column.means


def test_the_profile_of_the_run_is_such_a_column(release, export_folder):
    (line,) = (export_folder / "first/jsonl/train.jsonl").open()
    assert json.loads(line)["profile"] == "thorough"
    assert release.counts["profile"] == {"thorough": 1}


def test_a_confirmed_time_and_the_share_of_custom_kernels_are_such_columns(export_folder):
    timed(make_sample(), 2.0, time_confirmed=True, custom_kernel_share=0.75)
    finish_files(frozen(definition=ALL_TRAIN))
    (line,) = (export_folder / "first/jsonl/train.jsonl").open()
    row = json.loads(line)
    assert (row["time_confirmed"], row["custom_kernel_share"]) == (True, 0.75)
