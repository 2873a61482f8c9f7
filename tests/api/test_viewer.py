"""Tests of the dataset API of a release: rows, search, filter, splits, size, Parquet files, statistics."""

import pytest
from django.test import Client

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import publication
from datasets_app.export.columns import NAMES
from datasets_app.export.finish import finish_files
from datasets_app.export.viewer import statistics
from datasets_app.models import Release
from tests.api.clients import api
from tests.curate.store import frozen, passed, small_store
from tests.shared_rows import own_release, shared_release

pytestmark = pytest.mark.django_db


def store() -> None:
    small_store()
    passed(speedup=7.5, language="triton", reasoning="Swizzle the banks.\n" + "x" * 20_000)
    made = frozen(definition={**DEFINITION})
    finish_files(made)
    publication.set_visibility(made, "public", actor=COMMAND)


@pytest.fixture(scope="module")
def files(request):
    with shared_release(request, store) as folder:
        yield folder


@pytest.fixture
def release(db, files, settings, tmp_path) -> Release:
    settings.EXPORT_DIR = tmp_path
    return own_release(files, tmp_path)


DEFINITION = {
    "version": 1,
    "seed": 3,
    "device": "",
    "rules": [{"rule": "outcome"}],
    "splits": {"train": 100, "validation": 0, "test": 0},
    "together": "tasks",
    "allow_leaks": True,
}


def ask(path: str, **parameters):
    return Client().get(f"/api/v1/releases/first/{path}/", {"split": "train", **parameters})


def test_rows_are_a_page_by_place_with_every_column(release):
    body = ask("rows", offset=3, length=2).json()
    ids = [str(pk) for pk in release.rows.order_by("position").values_list("sample_id", flat=True)]
    assert [row["row_idx"] for row in body["rows"]] == [3, 4]
    assert [row["row"]["uuid"] for row in body["rows"]] == ids[3:5]
    assert [one["name"] for one in body["features"]] == list(NAMES) == list(body["rows"][0]["row"])
    assert (body["num_rows_total"], body["num_rows_per_page"]) == (21, 100)
    assert ask("rows", offset=500).json()["rows"] == []


def test_a_page_costs_a_fixed_number_of_queries(release, django_assert_num_queries):
    with django_assert_num_queries(2):  # the release and its rows
        ask("rows")


def test_a_long_text_is_cut_and_named(release):
    (row,) = ask("search", query="swizzle banks").json()["rows"]
    assert row["row"]["language"] == "triton"
    assert row["truncated_cells"] == ["generated_think"]
    assert len(row["row"]["generated_think"]) == 10_000


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("speedup_over_eager > 7", 4),
        ("\"speedup_over_eager\" >= 8 OR language = 'triton'", 4),
        ("speedup_over_eager < 1 AND NOT (language <> 'cuda')", 10),
        ("language IS NULL", 0),
        ("claimed_speedup IS NULL and outcome = 'passed'", 21),
        ("claimed_speedup < 100", 0),
        ("runs_disagree = false", 21),
        ("reason = 'it''s'", 0),
    ],
)
def test_a_filter_compares_frozen_columns(release, condition, count):
    answer = ask("filter", where=condition)
    assert answer.status_code == 200, answer.content
    assert answer.json()["num_rows_total"] == len(answer.json()["rows"]) == count


def test_a_filter_orders_by_a_column(release):
    rows = ask("filter", where="language = 'cuda'", orderby="speedup_over_eager DESC", length=3).json()[
        "rows"
    ]
    assert [row["row"]["speedup_over_eager"] for row in rows] == [10.0, 9.0, 8.0]


@pytest.mark.parametrize(
    ("path", "parameters", "field", "sentence"),
    [
        ("filter", {"where": "nosuch = 1"}, "where", "There is no column"),
        ("filter", {"where": "generated_code = 'x'"}, "where", "search finds rows by their texts"),
        ("filter", {"where": "operators = 'relu'"}, "where", "it is a list"),
        ("filter", {"where": "speedup_over_eager > 'x'"}, "where", "is float64"),
        ("filter", {"where": "language = 'cuda"}, "where", "cannot be read"),
        ("filter", {"where": "language = cuda"}, "where", "quote texts"),
        ("filter", {"where": "(language = 'cuda'"}, "where", "not closed"),
        ("filter", {"where": "language = 'cuda' language"}, "where", "AND or OR"),
        ("filter", {"where": "language"}, "where", "ends where"),
        ("filter", {"where": "(" * 200 + "language = 'x'"}, "where", "inside each other"),
        ("filter", {"where": " AND ".join(["level = 1"] * 30)}, "where", "At most 20 comparisons"),
        ("filter", {"where": "uuid = 'x'"}, "where", "is a UUID"),
        ("filter", {"orderby": "language; DROP TABLE"}, "orderby", "ASC or DESC"),
        ("rows", {"split": "test"}, "split", "has no split 'test'; it has train"),
        ("rows", {"split": "all"}, "split", "the splits are train, validation, test"),
        ("rows", {"length": 101}, "length", "100"),
        ("rows", {"offset": -1}, "offset", "0"),
        ("search", {}, "query", "required"),
        ("statistics", {"config": "chat"}, "config", "not a valid choice"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_words(release, path, parameters, field, sentence):
    answer = ask(path, **parameters)
    assert answer.status_code == 400
    assert sentence in answer.json()["errors"][field][0]


def test_splits_sizes_and_parquet_files_are_those_of_the_release(release):
    assert ask("splits").json()["splits"] == [
        {"dataset": "concur/first", "config": "default", "split": "train"}
    ]
    (file,) = ask("parquet").json()["parquet_files"]
    stored = release.exports.get(format="parquet")
    assert (file["filename"], file["size"]) == ("train-00000-of-00001.parquet", stored.size_bytes)
    assert Client().get(file["url"]).status_code == 200
    size = ask("size").json()["size"]
    assert size["dataset"]["num_rows"] == 21
    assert size["splits"][0]["num_bytes_parquet_files"] == stored.size_bytes


def test_statistics_are_of_the_frozen_values(release):
    body = ask("statistics").json()
    columns = {one["column_name"]: one for one in body["statistics"]}
    speedups = columns["speedup_over_eager"]["column_statistics"]
    assert (speedups["min"], speedups["max"], sum(speedups["histogram"]["hist"])) == (0.5, 10.0, 21)
    assert columns["language"]["column_statistics"]["frequencies"] == {"cuda": 20, "triton": 1}
    assert columns["operators"]["column_type"] == "list"
    assert columns["claimed_speedup"]["column_statistics"]["nan_count"] == 21
    assert (body["num_examples"], body["partial"]) == (21, False)
    assert columns["findings"]["column_type"] == "list"
    assert columns["findings"]["column_statistics"]["max"] == 0


def test_statistics_are_of_every_row_however_many(release, monkeypatch):
    rows = [{"speedup_over_eager": n / 2, "language": "cuda", "runs_disagree": n < 5} for n in range(20_004)]
    monkeypatch.setattr(statistics, "snapshots", lambda release_id, split: iter([*rows, {}]))
    statistics.computed.cache_clear()
    body = ask("statistics").json()
    statistics.computed.cache_clear()
    assert (body["num_examples"], body["partial"]) == (20_005, False)
    columns = {one["column_name"]: one["column_statistics"] for one in body["statistics"]}
    speedups = columns["speedup_over_eager"]
    assert (speedups["nan_count"], speedups["min"], speedups["max"]) == (1, 0.0, 10_001.5)
    assert (speedups["mean"], speedups["median"]) == (5000.75, 5000.75)
    assert speedups["std"] == pytest.approx(2887.401, abs=0.001)
    assert speedups["histogram"]["hist"] == [2001, 2000, 2000, 2001, 2000, 2000, 2001, 2000, 2000, 2001]
    assert columns["runs_disagree"]["frequencies"] == {"True": 5, "False": 19_999}
    assert columns["language"] == {
        "nan_count": 1,
        "nan_proportion": 0.00005,
        "n_unique": 1,
        "frequencies": {"cuda": 20_004},
    }


def test_a_column_of_lists_cannot_be_compared_and_says_so(release):
    answer = ask("filter", where="findings = 'race'")
    assert answer.status_code == 400
    assert "findings cannot be compared" in answer.json()["errors"]["where"][0]


def test_rows_of_a_release_that_is_not_public_need_a_token(release):
    publication.set_visibility(release, "token", actor=COMMAND)
    for path in ("rows", "search", "filter", "splits", "size", "parquet", "statistics"):
        assert ask(path, query="x").status_code == 401
    assert api().get("/api/v1/releases/first/rows/", {"split": "train"}).status_code == 200
