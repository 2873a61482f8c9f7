"""Tests that a restore which cannot go on says what to do and leaves the site as it was."""

import json
import re

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from concur_site.backup import files, restore
from concur_site.up import checks
from datasets_app.models import Task
from tests.factories import make_task
from tests.site.backup.backups_by_hand import MANIFEST, altered, change_manifest, contents, manifest

pytestmark = pytest.mark.django_db(transaction=True)
REVIEWS = "tables/datasets_app_review.copy"


@pytest.fixture
def site(data_folder):
    """A site with one task and one file."""
    (data_folder / "uploads" / "mine.txt").write_text("mine")
    return make_task()


def untouched(task, data_folder) -> bool:
    [found] = [path for path in data_folder.rglob("*") if path.is_file()]
    return Task.objects.get() == task and found.read_text() == "mine"


def swapped(old: bytes, new: bytes):
    def change(members):
        assert old in members[REVIEWS]
        members[REVIEWS] = members[REVIEWS].replace(old, new)

    return change


def newer_form(about):
    about["format"] = 99


def newer_tables(about):
    about["version"] = "9.0"
    about["migrations"]["datasets_app"].append("0999_from_the_future")


def other_columns(about):
    about["tables"]["datasets_app_task"]["columns"][0] = "unheard_of"


def more_rows(about):
    about["tables"]["datasets_app_review"]["rows"] += 1


def outside(members):
    members["files/uploads/../../outside.txt"] = b"written elsewhere"


def no_such_review_target(members):
    """Let a review point to a sample that is not there: only the database notices."""
    cells = members[REVIEWS].split(b"\n", 1)[0].split(b"\t")
    columns = json.loads(members[MANIFEST])["tables"]["datasets_app_review"]["columns"]
    sample = cells[columns.index("sample_id")]
    members[REVIEWS] = members[REVIEWS].replace(sample, b"0" * 8 + sample[8:])


@pytest.mark.parametrize(
    ("change", "honest", "sentence"),
    [
        (
            swapped(b"accept", b"reject"),
            False,
            r"is damaged: tables/datasets_app_review.copy is not what was",
        ),
        (swapped(b"accept", b"accepted"), False, r"is damaged: .* cannot be read .it is longer"),
        (lambda members: members.pop(REVIEWS), False, r"is damaged: its members are not those"),
        (lambda members: members.update(more=b""), False, r"is damaged: its members are not those"),
        (lambda members: members.update({MANIFEST: b"{}"}), False, r"is no file of `manage.py backup`"),
        (change_manifest(newer_form), True, r"newer version .* install that version"),
        (
            change_manifest(newer_tables),
            True,
            r"newer version \(9.0\): .*0999_from_the_future.* Install that",
        ),
        (change_manifest(other_columns), True, r"not those of its migrations \(datasets_app_task\)"),
        (change_manifest(more_rows), True, r"is damaged: datasets_app_review has 3 rows instead of 4"),
        (outside, True, r"a file .* that has no place here"),
        (swapped(b"\t", b"\t\t"), True, r"damaged|did not take the rows"),
        (no_such_review_target, True, r"did not take the rows"),
    ],
)
def test_a_damaged_or_foreign_file_changes_nothing(
    backup_path, site, data_folder, tmp_path, change, honest, sentence
):
    path = altered(backup_path, tmp_path / "altered.zip", change, honest=honest)
    with pytest.raises(CommandError) as refused:
        call_command("restore", str(path), replace=True)
    assert re.search(sentence, str(refused.value)), refused.value
    assert str(refused.value).endswith("Nothing was changed.")
    assert untouched(site, data_folder)
    assert not (tmp_path / "outside.txt").exists()


def test_a_truncated_or_flipped_file_changes_nothing(backup_path, site, data_folder, tmp_path):
    data = backup_path.read_bytes()
    cut, flipped = tmp_path / "cut.zip", tmp_path / "flipped.zip"
    cut.write_bytes(data[: len(data) // 2])
    at = len(data) // 3
    flipped.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    for path, sentence in [(cut, "cut off or altered"), (flipped, "is damaged")]:
        with pytest.raises(CommandError, match=sentence):
            call_command("restore", str(path), replace=True)
        with pytest.raises(CommandError, match=sentence):
            call_command("restore", str(path), check=True)
    assert untouched(site, data_folder)


def test_a_site_with_data_is_replaced_only_when_told(backup_path, site, data_folder):
    with pytest.raises(CommandError, match=r"has data already.*--replace"):
        call_command("restore", str(backup_path))
    assert untouched(site, data_folder)
    call_command("restore", str(backup_path), check=True)
    assert untouched(site, data_folder)
    call_command("restore", str(backup_path), replace=True)
    assert not Task.objects.filter(pk=site.pk).exists()
    assert not (data_folder / "uploads" / "mine.txt").exists()


def test_a_site_that_runs_is_not_replaced(backup_path, site, data_folder, monkeypatch):
    monkeypatch.setattr(restore.probe, "ask", lambda port: {"status": "ok"})
    with pytest.raises(CommandError, match="The site runs: stop it first"):
        call_command("restore", str(backup_path), replace=True)
    assert untouched(site, data_folder)


def test_a_database_that_others_use_is_not_replaced(backup_path, site, data_folder):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite does not tell who has it open; the site's port does")
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SET application_name = 'a site worker'")
        with pytest.raises(CommandError, match=r"connected to the database \(a site worker\)"):
            call_command("restore", str(backup_path), replace=True)
    finally:
        other.close()
    assert untouched(site, data_folder)


def test_a_fault_after_the_files_were_exchanged_puts_them_back(backup_path, site, data_folder, monkeypatch):
    exchange = files.Staged.exchange

    def then_fail(stage):
        exchange(stage)
        assert not (data_folder / "uploads" / "mine.txt").exists()
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(files.Staged, "exchange", then_fail)
    with pytest.raises(CommandError, match=r"Input/output error.*Nothing was changed"):
        call_command("restore", str(backup_path), replace=True)
    assert untouched(site, data_folder)


def test_a_killed_restore_keeps_the_site_from_starting_until_it_is_run_again(backup_path, data_folder):
    stage = files.Staged().__enter__()
    stage.exchange()  # and never ends
    [problem] = checks.check_restore()
    assert problem.fatal
    assert "manage.py restore" in problem.sentence
    call_command("restore", str(backup_path), replace=True)
    assert not list(checks.check_restore())
    assert len(contents(backup_path)) > len(manifest(backup_path)["tables"])


def test_a_restore_that_is_killed_while_it_deletes_the_former_files_is_done(site, data_folder, monkeypatch):
    with files.Staged() as stage:
        (stage.new / "uploads" / "theirs.txt").write_text("theirs")
        stage.exchange()
        monkeypatch.setattr(files.shutil, "rmtree", lambda *_, **__: None)
    monkeypatch.undo()
    assert not list(checks.check_restore())
    files.Staged().undo()
    assert [path.name for path in data_folder.rglob("*.txt")] == ["theirs.txt"]
