"""Tests of the files of a release that is whole: their content, their hashes, and what is not written again."""

import hashlib
import json
from datetime import timedelta

import pyarrow.parquet as pq
import pytest
from django.utils import timezone

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import package, request_export
from datasets_app.export.columns import NAMES
from datasets_app.export.finish import finish_files, rewrite_files, write_into
from datasets_app.models import JobState, Sample

pytestmark = pytest.mark.django_db


def json_rows(folder, split="train"):
    return [json.loads(line) for line in (folder / "first/jsonl" / f"{split}.jsonl").open()]


def test_both_default_formats_hold_the_frozen_rows(release, export_folder):
    for split, count in release.split_counts.items():
        lines = json_rows(export_folder, split)
        table = pq.read_table(export_folder / f"first/data/{split}-00000-of-00001.parquet")
        assert table.to_pylist() == lines
        assert len(lines) == count
        assert tuple(lines[0]) == tuple(table.column_names) == NAMES


def test_a_row_holds_the_texts_and_the_snapshot(release, export_folder):
    line = json_rows(export_folder)[0]
    sample = Sample.objects.with_body().get(pk=line["uuid"])
    assert line["pytorch_code"] == sample.task.body.pytorch_code
    assert line["generated_think"] == sample.body.reasoning
    assert line["generated_code"] == sample.body.kernel_code
    assert line["speedup_over_eager"] == sample.measured_speedup
    assert line["split"] == "train"


def test_hashes_sizes_and_counts_are_those_of_the_files(release, export_folder):
    for export in release.exports.in_package():
        data = (export_folder / "first" / export.path).read_bytes()
        assert export.state == JobState.DONE
        assert (export.size_bytes, export.sha256) == (len(data), hashlib.sha256(data).hexdigest())


def test_the_hash_list_names_every_other_file(release, export_folder):
    lines = (export_folder / "first/SHA256SUMS").read_text().splitlines()
    listed = {path: sha256 for sha256, path in (line.split("  ") for line in lines)}
    assert listed == dict(
        release.exports.in_package().exclude(path="SHA256SUMS").values_list("path", "sha256")
    )
    assert {"README.md", "LICENSE", "recipe.json", "manifest.json"} <= set(listed)


def test_a_release_whose_writer_ended_before_its_lists_gets_them_later(release, export_folder):
    release.exports.filter(split="").delete()
    (export_folder / "first/README.md").unlink()
    package.refresh_left_behind()
    assert not (export_folder / "first/README.md").exists(), "its writer may still be at work"
    release.exports.of_rows().update(finished_at=timezone.now() - timedelta(minutes=11))
    package.refresh_left_behind()
    listed = release.exports.get(path="SHA256SUMS")
    assert (export_folder / "first/README.md").exists()
    assert release.exports.filter(format="zip").exists()
    package.refresh_left_behind()
    assert release.exports.get(path="SHA256SUMS").finished_at == listed.finished_at, "written once"


def test_asking_twice_makes_a_file_once(release):
    before = list(release.exports.values_list("pk", "attempt"))
    request_export(release, "jsonl", COMMAND)
    finish_files(release)
    assert list(release.exports.values_list("pk", "attempt")) == before


def test_lost_and_damaged_files_are_written_again_with_the_same_hash(release, export_folder):
    (export_folder / "first/jsonl/train.jsonl").unlink()
    (export_folder / "first/data/train-00000-of-00001.parquet").write_bytes(b"spoilt")
    result = rewrite_files(release)
    assert set(result["written"]) == {"jsonl/train.jsonl", "data/train-00000-of-00001.parquet"}
    assert result["different"] == []
    assert rewrite_files(release)["written"] == []


def test_a_folder_of_ones_own(release, tmp_path):
    files = write_into(release, "jsonl", tmp_path / "mine")
    assert sum(file["rows"] for file in files) == 20
    assert {file["sha256"] for file in files} == set(
        release.exports.filter(format="jsonl").values_list("sha256", flat=True)
    )
