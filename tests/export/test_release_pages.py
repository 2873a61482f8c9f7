"""Tests of a release's page, its rows, its difference from another release, and the forms of its publication."""

import json

import pytest
from django.test import Client

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import publication
from datasets_app.export.finish import finish_files
from datasets_app.models import Publication
from tests.curate.store import frozen, passed, small_store
from tests.shared_rows import shared_release

pytestmark = pytest.mark.django_db
PAGE = "/releases/first/"


def store() -> None:
    small_store()
    passed(reasoning="Swizzle <b>the</b> banks.\n" + "y" * 11_000)
    finish_files(frozen("first"))


@pytest.fixture(scope="module")
def files(request):
    with shared_release(request, store) as folder:
        yield folder


def text(answer) -> str:
    return answer.content.decode()


def test_usage_stands_before_files_and_hashes_with_the_name_that_works(release, reader):
    page = text(reader.get(PAGE))
    assert page.index("Use it") < page.index('id="rows-title"') < page.index('id="files-title"')
    assert "load_dataset(&quot;concur/first&quot;)" in page or 'load_dataset("concur/first")' in page
    assert "HF_TOKEN" in page
    publication.set_visibility(release, "public", actor=COMMAND)
    page = text(Client().get(PAGE))
    assert "No account and no token is needed" in page
    assert "HF_TOKEN" not in page
    assert 'id="publication"' not in page


def test_a_yanked_release_says_so_on_its_page_and_in_the_list(release, reader):
    frozen("second")
    publication.yank(release, "a leak <script>", actor=COMMAND)
    publication.supersede(release, "second", actor=COMMAND)
    page = text(reader.get(PAGE))
    assert "do not use it for new work" in page
    assert "a leak &lt;script&gt;" in page
    assert 'Superseded by <a href="/releases/second/">' in page
    listed = text(reader.get("/releases/"))
    assert ">yanked</span>" in listed
    assert ">superseded</span>" in listed


def test_a_successor_that_the_visitor_may_not_read_is_not_named(release):
    second = frozen("hidden")
    publication.set_visibility(release, "public", actor=COMMAND)
    publication.supersede(release, "hidden", actor=COMMAND)
    assert "/releases/hidden/" not in text(Client().get(PAGE))
    assert second.name == "hidden"


def test_the_list_costs_a_fixed_number_of_queries(release, reader, django_assert_max_num_queries):
    for name in ("second", "third"):
        publication.set_visibility(frozen(name), "public", actor=COMMAND)
    with django_assert_max_num_queries(5):
        reader.get("/releases/")


def test_rows_are_shown_by_page_word_and_condition(release, reader):
    page = text(reader.get("/releases/first/rows/", {"split": "train"}))
    assert f"of {release.split_counts['train']}." in page
    found = [
        text(reader.get("/releases/first/rows/", {"split": split, "q": "swizzle"}))
        for split in release.split_counts
    ]
    assert sum("1 of " in one and "rows match" in one for one in found) == 1
    page = text(reader.get("/releases/first/rows/", {"split": "train", "where": "language = 'rust'"}))
    assert "No rows match" in page


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"where": "nosuch = 1"}, "There is no column"),
        ({"split": "all"}, "has no split"),
        ({"offset": "x"}, "whole number"),
        ({"row": "-1"}, "whole number"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_words_and_kept(release, reader, asked, sentence):
    answer = reader.get("/releases/first/rows/", {"q": "swizzle", **asked})
    assert answer.status_code == 400
    assert sentence in text(answer)
    assert 'value="swizzle"' in text(answer)


def test_one_row_shows_its_texts_escaped_and_all_columns(release, reader):
    row = release.rows.get(sample__body__reasoning__startswith="Swizzle")
    first = release.rows.filter(split=row.split).order_by("position")[0].position
    place = {"split": row.split, "row": row.position - first}
    page = text(reader.get("/releases/first/rows/", place))
    assert "Swizzle &lt;b&gt;the&lt;/b&gt; banks." in page
    assert "Cut at 10,000 characters" in page
    assert "kernelbench_correct" in page
    assert reader.get("/releases/first/rows/", {"split": row.split, "row": 999}).status_code == 404


def test_the_difference_from_the_release_before_names_the_reason(release, reader):
    late = passed()
    frozen("second")
    page = text(reader.get("/releases/second/difference/"))
    assert f"/samples/{late.pk}/" in page
    assert "after first was frozen" in page
    assert "second has every row of first" in text(reader.get("/releases/first/difference/?kind=added"))
    assert "Why first lacks it" in text(
        reader.get("/releases/first/difference/")
    )  # the first kind that has rows
    assert reader.get("/releases/second/difference/?from=none").status_code == 400
    assert reader.get("/releases/second/difference/?from=first&kind=odd").status_code == 400


def test_the_whole_difference_is_a_file(release, reader):
    for _ in range(2):
        passed()
    second = frozen("second")
    page = text(reader.get("/releases/second/difference/"))
    assert "Rows 1 to 2 of 2." in page
    assert "All 2 as JSON Lines" in page
    answer = reader.get("/releases/second/difference/rows.jsonl?from=first")
    assert [answer[f"X-{kind}"] for kind in ("Added", "Removed", "Changed")] == ["2", "0", "0"]
    rows = [json.loads(line) for line in answer.getvalue().splitlines()]
    assert [row["difference"] for row in rows] == ["added", "added"]
    assert {row["id"] for row in rows} <= set(map(str, second.rows.values_list("sample_id", flat=True)))
    assert rows[0]["why"][0].endswith("after first was frozen")
    assert reader.get("/releases/second/difference/rows.jsonl?from=none").status_code == 404
    assert reader.get("/releases/second/difference/rows.jsonl?from=second").status_code == 404


def test_a_release_alone_leads_to_what_can_be_compared(release, reader, curator):
    page = text(reader.get("/releases/first/difference/"))
    assert "first has no other release beside it" in page
    assert 'href="/curate/compare/"' in page
    assert ">Choose a recipe to freeze</a>" not in page
    assert ">Choose a recipe to freeze</a>" in text(curator.get("/releases/first/difference/"))


def test_a_private_release_is_not_compared_for_a_stranger_to_it(release, reader):
    frozen("second")
    publication.set_visibility(release, "private", actor=COMMAND)
    assert reader.get("/releases/second/difference/?from=first").status_code == 400
    assert "second has no other release beside it" in text(reader.get("/releases/second/difference/"))
    assert reader.get("/releases/second/difference/rows.jsonl?from=first").status_code == 404


def test_a_curator_publishes_yanks_and_names_a_successor_on_the_page(release, curator):
    frozen("second")
    answer = curator.post("/releases/first/visibility/", {"visibility": "public", "readers": ""}, follow=True)
    assert "Everybody reads it" in text(answer)
    curator.post("/releases/first/yank/", {"reason": "a leak"})
    curator.post("/releases/first/supersede/", {"superseded_by": "second"})
    stored = Publication.objects.get(release=release)
    assert (stored.visibility, stored.yank_reason, stored.superseded_by.name) == (
        "public",
        "a leak",
        "second",
    )
    curator.post("/releases/first/yank/", {"do": "unyank"})
    assert not Publication.objects.get(release=release).is_yanked


@pytest.mark.parametrize(
    ("form", "typed", "kept"),
    [
        ("visibility", {"visibility": "private", "readers": "nobody-here"}, "nobody-here</textarea>"),
        ("yank", {"reason": "x" * 1001}, "x" * 1001),
        ("supersede", {"superseded_by": "nowhere"}, 'value="nowhere"'),
    ],
)
def test_a_refused_form_keeps_what_was_typed(release, curator, form, typed, kept):
    answer = curator.post(f"/releases/first/{form}/", typed)
    assert answer.status_code == 400
    assert kept in text(answer)
    assert 'role="alert"' in text(answer)


def test_readers_see_no_form(release, annotator):
    assert 'id="publication"' not in text(annotator.get(PAGE))
