"""Tests of the bins in which lengths and speedups are counted, frozen and shown."""

import pytest

from datasets_app.export.bins import SPEEDUP_EDGES, TOKEN_EDGES, bin_of, counted, labels
from datasets_app.export.finish import finish_files
from datasets_app.models import Release
from tests.curate.store import frozen, passed
from tests.export.reading import folder

ALL = {"version": 1, "rules": []}


def test_a_value_at_an_edge_is_in_the_bin_above_it():
    names = labels(TOKEN_EDGES)
    assert len(names) == len(TOKEN_EDGES) + 1
    assert [names[bin_of(TOKEN_EDGES, tokens)] for tokens in (0, 499, 500, 8500, 19_999, 20_000)] == [
        "under 500",
        "under 500",
        "500 to 1,000",
        "8,500 to 12,000",
        "12,000 to 20,000",
        "20,000 and more",
    ]
    assert labels(SPEEDUP_EDGES)[bin_of(SPEEDUP_EDGES, 1.0)] == "0.9 to 1.1"


def test_bins_come_in_order_without_a_gap_and_what_has_no_value_last():
    release = Release(counts={"trace_tokens": {"3,000 to 4,000": 1, "": 2, "500 to 1,000": 3}})
    assert counted(release, "trace_tokens") == [
        ("500 to 1,000", 3),
        ("1,000 to 2,000", 0),
        ("2,000 to 3,000", 0),
        ("3,000 to 4,000", 1),
        ("", 2),
    ]
    assert counted(Release(counts={}), "trace_tokens") == []
    assert counted(Release(counts={"difficulty": {"": 4}}), "difficulty") == [("", 4)]


def test_names_come_with_the_most_frequent_first():
    release = Release(counts={"kind": {"matmul": 1, "scan": 3}})
    assert counted(release, "kind") == [("scan", 3), ("matmul", 1)]


@pytest.mark.django_db
def test_a_release_freezes_them_and_its_card_and_page_draw_them(export_folder, reader):
    for tokens, speedup in ((600, 1.2), (700, 1.3), (9_000, 6.0)):
        passed(trace_tokens=tokens, speedup=speedup)
    release = frozen(definition=ALL)
    finish_files(release)
    assert release.counts["trace_tokens"] == {"500 to 1,000": 2, "8,500 to 12,000": 1}
    assert release.counts["speedup_over_eager"] == {"1.1 to 1.5": 2, "5 to 10": 1}
    assert release.counts["difficulty"] == {"easy": 2, "hard": 1}
    card = (folder(release) / "README.md").read_text()
    assert f"| 500 to 1,000 | 2 | {'█' * 20} |" in card
    assert f"| 8,500 to 12,000 | 1 | {'█' * 10} |" in card
    assert "| 1,000 to 2,000 | 0 |  |" in card
    page = reader.get("/releases/first/").content.decode()
    assert '<progress max="3" value="2" aria-hidden="true">' in page
    assert "8,500 to 12,000" in page
