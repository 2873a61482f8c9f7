import pytest
from django.core.exceptions import PermissionDenied

from datasets_app.accounts.actor import COMMAND
from datasets_app.curate import freeze, rebuild
from datasets_app.curate.canonical import ContentHash
from datasets_app.curate.definition import RecipeError, parse
from datasets_app.models import AuditEntry, FrozenError, JobState, Release, ReleaseRow, Sample
from tests.curate.store import AT, PASSED, frozen, passed, small_store
from tests.factories import acting, make_sample, make_user
from tests.verifications import verified

pytestmark = pytest.mark.django_db


def test_a_release_holds_rows_snapshots_counts_and_versions():
    small_store()
    release = frozen()
    assert release.state == JobState.DONE
    assert (release.row_count, release.task_count) == (20, 10)
    assert release.split_counts == {"train": 12, "validation": 4, "test": 4}
    assert release.counts["source"] == {"house": 20}
    assert release.counts["reason"] == {"every_rule": 20}
    assert release.versions["tokenizer"] == ["words"]
    assert release.funnel[0]["dropped"][0]["reason"] == "nothing decided on the device"
    row = release.rows.first()
    assert row.snapshot["outcome"] == "passed"
    assert row.snapshot["speedup_over_eager"] == Sample.objects.get(pk=row.sample_id).measured_speedup
    assert [r.position for r in release.rows.all()] == list(range(20))


def test_the_hash_is_over_the_rows_in_order_as_documented():
    small_store()
    release = frozen()
    content = ContentHash()
    for row in release.rows.order_by("position"):
        content.add(row.sample_id, row.split, row.reason, row.snapshot)
    assert release.content_sha256 == content.hexdigest()


def test_the_same_store_and_recipe_give_the_same_hash():
    small_store()
    assert frozen("one").content_sha256 == frozen("two").content_sha256


def test_another_seed_gives_another_hash():
    small_store()
    assert frozen("one").content_sha256 != frozen("two", PASSED | {"seed": 4}).content_sha256


@pytest.mark.parametrize(
    "change",
    [
        lambda release: release.save(),
        lambda release: release.delete(),
        lambda release: Release.objects.filter(pk=release.pk).update(notes="x"),
        lambda release: Release.objects.filter(pk=release.pk).delete(),
        lambda release: release.rows.first().save(),
        lambda release: release.rows.first().delete(),
        lambda release: release.rows.update(split="test"),
        lambda release: release.rows.all().delete(),
        lambda release: ReleaseRow.objects.bulk_create([ReleaseRow(release=release, position=99)]),
    ],
)
def test_a_frozen_release_refuses_every_change(change):
    passed()
    release = frozen()
    with pytest.raises(FrozenError, match="frozen"):
        change(release)
    assert Release.objects.get().content_sha256 == release.content_sha256
    assert ReleaseRow.objects.count() == 1


def test_a_recipe_that_chooses_nothing_fails_and_says_which_rule():
    make_sample()
    release = frozen()
    assert release.state == JobState.FAILED
    assert "rule 1" in release.error
    assert "let none of 1 rows through" in release.error


def test_a_failed_release_makes_room_for_another_of_its_name():
    make_sample()
    assert frozen().state == JobState.FAILED
    passed()
    assert frozen().state == JobState.DONE
    assert Release.objects.count() == 1


def test_a_name_is_taken_once_whatever_its_letters():
    passed()
    frozen("First")
    with pytest.raises(RecipeError, match="already"):
        frozen("first")


@pytest.mark.parametrize("name", ["", "../x", "a b", "new", "x" * 81, "ü"])
def test_a_name_that_cannot_be_a_folder_is_refused(name):
    with pytest.raises(RecipeError):
        frozen(name)


def test_a_reader_may_not_freeze():
    with pytest.raises(PermissionDenied):
        freeze.create(acting(make_user("reader")), name="mine", definition=parse(PASSED))


def test_freezing_is_written_down():
    passed()
    frozen()
    assert AuditEntry.objects.filter(action="release.create", actor_name="command").count() == 1


def test_a_second_message_does_nothing():
    passed()
    release = frozen()
    freeze.run_freeze(release.pk)
    assert Release.objects.get().attempt == 1


def test_what_a_dead_attempt_left_behind_is_swept_away():
    sample = passed()
    release = freeze.create(COMMAND, name="first", definition=parse(PASSED), recipe_name="test")
    ReleaseRow.objects.create(release=release, position=7, sample=sample, split="train", snapshot={})
    freeze.run_freeze(release.pk)
    assert [row.position for row in release.rows.all()] == [0]


def test_a_check_right_after_the_freeze_finds_no_difference():
    small_store()
    result = rebuild.check(frozen())
    assert result.hash_holds
    assert result.same
    assert result.rows == 20


def test_a_check_says_what_would_be_removed_added_and_changed():
    kept, gone = passed(), passed()
    release = frozen()
    added = passed()
    kept.record_verdict(verdict="accept", reviewed_at=AT, votes=1, agreement=1.0)
    verified(gone, "cheated", days=1)
    result = rebuild.check(release)
    assert result.hash_holds
    changes = {d.sample: (d.change, d.why) for d in result.differences}
    assert changes[str(gone.pk)] == ("removed", "Outcome: outcome is cheated")
    assert changes[str(added.pk)][0] == "added"
    assert changes[str(kept.pk)] == (
        "changed",
        "agreement: None became 1.0; verdict: '' became 'accept'; votes: 0 became 1",
    )


def test_a_check_finds_a_row_that_was_tampered_with():
    passed()
    release = frozen()
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("UPDATE datasets_app_releaserow SET reason = 'mine'")
    assert not rebuild.check(release).hash_holds


def test_choosing_reads_no_body_and_costs_three_queries(django_assert_num_queries):
    small_store()
    from datasets_app.curate.store import select

    with django_assert_num_queries(3) as asked:  # devices, honeypots, rows
        select(parse(PASSED | {"splits": {"train": 100}}))
    assert not any("body" in query["sql"] for query in asked.captured_queries)
