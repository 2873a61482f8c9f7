"""Tests of what differs between two releases, and of the rule or fact behind each row."""

import hashlib
from uuid import UUID

import pytest

from datasets_app.browse.query.hidden_reviews import hidden_from
from datasets_app.curate import absence
from datasets_app.curate.difference import CHUNK_ROWS, compared, difference, every_row
from datasets_app.models import Release, ReleaseRow, Sample
from tests.curate.store import AT, PASSED, failed, frozen, passed
from tests.factories import acting, make_sample, make_user
from tests.verifications import verified

pytestmark = pytest.mark.django_db


def rows(kind, release, other):
    return {row.sample: row.why for row in difference(release, other, kind).rows}


def test_a_row_that_was_stored_since_says_when():
    passed()
    first = frozen("first")
    late = passed()
    second = frozen("second")
    (why,) = rows("added", second, first)[str(late.pk)]
    assert why.startswith("stored on ")
    assert why.endswith("after first was frozen")
    assert difference(second, first).counts == {"added": 1, "removed": 0, "changed": 0}


def test_a_row_that_the_newer_recipe_drops_names_the_rule():
    passed(speedup=3)
    slow = passed(speedup=0.5)
    first = frozen("first")
    second = frozen("second", PASSED | {"rules": [*PASSED["rules"], {"rule": "speedup", "minimum": 1}]})
    (why,) = rows("removed", second, first)[str(slow.pk)]
    assert why.startswith("the recipe of second drops it: ")
    (back,) = rows("added", first, second)[str(slow.pk)]
    assert back.startswith("the recipe of second drops it: ")


def test_a_row_whose_verdict_was_overturned_names_the_rule():
    passed()
    cheat = passed()
    first = frozen("first")
    verified(cheat, "cheated", days=1)
    second = frozen("second")
    (why,) = rows("removed", second, first)[str(cheat.pk)]
    assert "cheated" in why


def test_a_changed_fact_is_shown_with_both_values():
    sample = passed(language="python")
    first = frozen("first")
    Sample.objects.filter(pk=sample.pk).update(language="cuda", generator="writer-7b")
    second = frozen("second")
    assert rows("changed", second, first) == {
        str(sample.pk): ["generator: writer-32b → writer-7b", "language: python → cuda"]
    }
    assert rows("changed", first, first) == {}


def stored(name: str, snapshots: dict[UUID, dict]) -> Release:
    """Return a finished release with these facts of these samples."""
    sha256 = hashlib.sha256(repr(snapshots).encode()).hexdigest()
    release = Release.objects.create(
        name=name, recipe_name="test", definition=PASSED, state="running", content_sha256=sha256
    )
    ReleaseRow.objects.bulk_create(
        ReleaseRow(release=release, position=place, sample_id=sample, split="train", snapshot=facts)
        for place, (sample, facts) in enumerate(snapshots.items())
    )
    Release.objects.filter(pk=release.pk).update(state="done")
    return Release.objects.get(pk=release.pk)


def test_a_column_that_came_later_is_no_change_where_it_has_no_value():
    sample = passed().pk
    first = stored("first", {sample: {"generator": "writer-32b", "trace_tokens": 7}})
    second = stored("second", {sample: {"trace_tokens": 7, "came_later": None, "generator": "writer-32b"}})
    assert difference(second, first).counts == {"added": 0, "removed": 0, "changed": 0}


def test_a_fact_of_the_last_of_many_rows_is_compared(monkeypatch):
    """More rows than any page judges or a chunk holds; those that differ are complete, on pages and in the file."""
    monkeypatch.setattr(absence, "MOST_ROWS_JUDGED", 3 * CHUNK_ROWS)
    given = Sample.objects.values().get(pk=passed().pk)
    ids = [UUID(int=number) for number in range(3 * CHUNK_ROWS + 1)]
    Sample.objects.bulk_create(Sample(**{**given, "id": pk}) for pk in ids)
    before = {pk: {"generator": "writer-32b", "trace_tokens": 7} for pk in ids}
    after = before | {pk: {"generator": "writer-7b", "trace_tokens": 7} for pk in ids[-601:]}
    first, second = stored("first", before), stored("second", after)
    found = difference(second, first, "changed", 600)
    assert found.counts == {"added": 0, "removed": 0, "changed": 601}
    assert [(row.sample, row.why) for row in found.rows] == [
        (str(ids[-1]), ["generator: writer-32b → writer-7b"])
    ]
    written = [(kind, row.sample) for kind, chunk in every_row(second, first) for row in chunk]
    assert written == [("changed", str(pk)) for pk in ids[-601:]]


def test_a_withdrawn_sample_says_so():
    passed()
    gone = passed()
    first = frozen("first")
    Sample.objects.filter(pk=gone.pk).update(withdrawn=True)
    second = frozen("second")
    (why,) = rows("removed", second, first)[str(gone.pk)]
    assert why == "the sample was withdrawn after second was frozen, so that no recipe judges it now"


def test_in_a_large_store_the_rules_that_need_no_other_task_are_applied(monkeypatch):
    """The rest is not claimed: the sentence names the first rule that compares samples of the whole store."""
    monkeypatch.setattr(absence, "MOST_ROWS_JUDGED", 0)
    passed(speedup=3)
    slow, fast = passed(speedup=0.5), passed(speedup=2)
    first = frozen("first")
    rules = [*PASSED["rules"], {"rule": "speedup", "minimum": 1}, {"rule": "top", "rows": 1}]
    second = frozen("second", PASSED | {"rules": rules})
    found = rows("removed", second, first)
    assert found[str(slow.pk)][0].startswith("the recipe of second drops it: ")
    assert found[str(fast.pk)][0].startswith("the recipe of second keeps it up to the rule “")
    frozen("third", PASSED | {"rules": rules[:2]})
    again = rows("removed", Release.objects.get(name="third"), first)
    assert again == {str(slow.pk): [found[str(slow.pk)][0].replace("second", "third")]}


def test_a_blind_reviewer_does_not_learn_a_verdict_from_the_rule(settings):
    settings.REVIEW_BLIND = True
    passed()
    bad = passed()
    first = frozen("first")
    bad.record_verdict(verdict="reject", reviewed_at=AT, votes=1, agreement=1.0)
    second = frozen(
        "second", PASSED | {"rules": [*PASSED["rules"], {"rule": "verdict", "keep": "not_rejected"}]}
    )
    hidden = hidden_from(acting(make_user("annotator")))
    (blind,) = difference(second, first, "removed", hidden=hidden).rows
    (seen,) = difference(second, first, "removed").rows
    assert seen.why == ["the recipe of second drops it: Verdict of the reviews: rejected"]
    assert blind.why[0].startswith("the recipe of second would choose it now")


def test_the_rows_of_a_page_cost_few_queries(django_assert_max_num_queries):
    for _ in range(5):
        passed()
    first = frozen("first")
    for _ in range(5):
        failed()
        make_sample()
        passed()
    second = frozen("second")
    with django_assert_max_num_queries(12):
        difference(first, second, "removed")
    compared.cache_clear()
    with django_assert_max_num_queries(9):
        difference(first, second, "changed")
