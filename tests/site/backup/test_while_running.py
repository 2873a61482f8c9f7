"""Tests that a backup is of one moment and holds nobody up, that it appears whole or not at all, and its memory."""

import threading
import tracemalloc

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from concur_site.backup import rows as rows_module
from concur_site.backup import take
from concur_site.backup.take import take_backup
from datasets_app.models import Task, TaskBody
from tests.factories import make_task
from tests.site.backup.backups_by_hand import contents, manifest, rows

pytestmark = pytest.mark.django_db(transaction=True)


def quiet(_: str) -> None:
    pass


def in_another_connection(action) -> None:
    """Run the action as another process would, and wait for it: a backup that blocked writers would hang here."""

    def run() -> None:
        try:
            action()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    assert not thread.is_alive(), "the backup holds writers up"


def test_it_is_of_one_moment_while_others_write(monkeypatch, data_folder, tmp_path):
    first = make_task()
    kept = data_folder / "exports" / "kept.jsonl"
    kept.write_text("as it was")
    plain, written = rows_module.write_rows, []

    def writing_meanwhile(table, sink):
        if not written:
            kept.unlink()  # an export that is deleted after its row was read
        in_another_connection(lambda: written.append(make_task().pk))
        return plain(table, sink)

    monkeypatch.setattr(take.rows, "write_rows", writing_meanwhile)
    taken = take_backup(tmp_path / "one.zip", quiet)
    assert len(written) == len(manifest(taken.path)["tables"])
    assert Task.objects.count() == TaskBody.objects.count() == 1 + len(written)
    assert len(rows(taken.path, "datasets_app_task")) == len(rows(taken.path, "datasets_app_taskbody")) == 1
    assert str(first.pk) in contents(taken.path)["tables/datasets_app_task.copy"].decode()
    assert contents(taken.path)["files/exports/kept.jsonl"] == b"as it was"
    assert not list(data_folder.glob(".backup-*"))


def test_it_is_private_whole_and_never_written_over(monkeypatch, data_folder, tmp_path, capsys):
    left = [tmp_path / ".concur-x.zip-999999999-ab", data_folder / ".backup-999999999-ab"]
    left[0].touch()
    left[1].mkdir()
    call_command("backup", str(tmp_path))
    assert [found for found in left if found.exists()] == [], "what killed backups left is deleted"
    [path] = tmp_path.glob("concur-*.zip")
    assert path.stat().st_mode & 0o777 == 0o600
    assert capsys.readouterr().out.strip() == str(path)
    with pytest.raises(CommandError, match="exists already: name another file"):
        call_command("backup", str(path))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(take, "write_secret_key", full)
    with pytest.raises(CommandError, match="No space left on device"):
        call_command("backup", str(tmp_path / "half.zip"))
    assert [found.name for found in tmp_path.iterdir() if found.is_file()] == [path.name]


def test_a_folder_that_is_not_there_yet_is_made(data_folder, tmp_path, capsys):
    call_command("backup", f"{tmp_path}/backups/")
    [path] = (tmp_path / "backups").glob("concur-*.zip")
    assert (tmp_path / "backups").stat().st_mode & 0o077 == 0
    assert capsys.readouterr().out.strip() == str(path)
    with pytest.raises(CommandError, match="There is no folder"):
        call_command("backup", f"{tmp_path}/no/backups")
    (tmp_path / "plain").write_text("")
    with pytest.raises(CommandError, match="exists already"):
        call_command("backup", f"{tmp_path}/plain")


def test_its_memory_does_not_grow_with_rows_and_files(data_folder, tmp_path):
    text = "x = 1  # a line of a program\n" * 10_000  # 290 KB
    for _ in range(60):
        make_task(text + str(_))
    with (data_folder / "uploads" / "large.bin").open("wb") as file:
        file.truncate(48 * 2**20)
    tracemalloc.start()
    try:
        taken = take_backup(tmp_path / "large.zip", quiet)
        assert tracemalloc.get_traced_memory()[1] < 12 * 2**20
        tracemalloc.reset_peak()
        call_command("restore", str(taken.path), replace=True)
        assert tracemalloc.get_traced_memory()[1] < 24 * 2**20
    finally:
        tracemalloc.stop()
    assert Task.objects.count() == 60
