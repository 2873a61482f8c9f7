"""Tests that only its owner can read the data folder: new files are private, older folders are repaired."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from concur_site.up import prepare, private_files

ROOT = Path(__file__).parents[2]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def private(folder: Path) -> list[str]:
    """Return the paths that others can read, of those that hold user data."""
    return [str(loose.path) for loose in private_files.loose_paths()]


@pytest.fixture
def loose_folder(tmp_path, settings, monkeypatch):
    """Create a data folder as left by earlier versions: readable by everybody."""
    folder = tmp_path / "data"
    for name in ("uploads/one", "exports", "logs", "redis", "build-cache/objects"):
        (folder / name).mkdir(parents=True)
    for name in (
        "concur.sqlite3",
        "concur.sqlite3-wal",
        "secret-key",
        "uploads/one/rows.csv",
        "logs/site.log",
    ):
        (folder / name).write_text("secret")
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    settings.DATA_DIR = folder
    names = ("concur.sqlite3", "concur.sqlite3-wal")
    monkeypatch.setattr(private_files, "database_files", lambda: [folder / name for name in names])
    return folder


def test_a_loose_folder_is_made_private_and_that_is_said(loose_folder):
    lines: list[str] = []
    private_files.tighten(lines.append)
    assert mode(loose_folder) == 0o700
    assert mode(loose_folder / "concur.sqlite3") == 0o600
    assert mode(loose_folder / "concur.sqlite3-wal") == 0o600
    assert mode(loose_folder / "uploads/one/rows.csv") == 0o600
    assert mode(loose_folder / "logs") == 0o700
    assert private(loose_folder) == []
    assert len(lines) == 1
    assert "private" in lines[0]
    assert str(loose_folder) in lines[0]


def test_the_folder_that_sandboxes_read_stays_as_the_engine_made_it(loose_folder):
    private_files.tighten(lambda line: None)
    assert mode(loose_folder / "build-cache/objects") == 0o755


def test_a_private_folder_is_left_alone_without_a_word(loose_folder):
    private_files.tighten(lambda line: None)
    lines: list[str] = []
    private_files.tighten(lines.append)
    assert lines == []


def test_what_a_link_leads_to_is_not_touched(loose_folder, tmp_path):
    outside = tmp_path / "somebody-elses"
    outside.write_text("theirs")
    outside.chmod(0o644)
    (loose_folder / "uploads/link").symlink_to(outside)
    private_files.tighten(lambda line: None)
    assert mode(outside) == 0o644


def test_a_folder_of_everybodys_keeps_its_mode_and_is_a_fault(loose_folder):
    loose_folder.chmod(0o1777)
    private_files.tighten(lambda line: None)
    assert mode(loose_folder) == 0o1777
    assert "set CONCUR_DATA_DIR to a folder of its own" in next(private_files.faults())


def test_preparing_a_run_tightens_before_anything_is_written(loose_folder, monkeypatch):
    modes = []
    monkeypatch.setattr(prepare, "migrate", lambda say: modes.append(mode(loose_folder)))
    for step in ("collect_static_files", "add_demo_pack"):
        monkeypatch.setattr(prepare, step, lambda say: None)
    monkeypatch.setattr(prepare, "prepare_local_key", lambda: None)
    monkeypatch.setattr(prepare, "make_administrator", lambda say: None)
    prepare.prepare(lambda line: None)
    assert modes == [0o700]


@pytest.mark.django_db
def test_doctor_names_path_mode_and_the_line_that_mends_it(loose_folder, capsys):
    with pytest.raises(CommandError, match="problems above"):
        call_command("doctor")
    printed = capsys.readouterr().out
    assert f"Other accounts may reach {loose_folder} (mode 0755): chmod go-rwx {loose_folder}" in printed
    assert f"chmod -R go-rwx {loose_folder}" in printed


def test_every_entry_point_makes_private_files_under_a_loose_umask(tmp_path):
    program = (
        "import os, sys; os.umask(0o022); {what}; "
        "open(sys.argv[1], 'w').close(); print(oct(os.stat(sys.argv[1]).st_mode & 0o777))"
    )
    entries = {
        "manage.py": "sys.argv[:] = ['manage.py', 'check', '--version'][:1] + sys.argv[1:]; "
        "import manage, django.core.management as m; m.execute_from_command_line = lambda argv: None; manage.main()",
        "wsgi": "import concur_site.wsgi",
        "celery": "import concur_site.celery; from celery import signals; signals.celeryd_init.send('test')",
        "host": "os.environ['REDIS_URL'] = 'none'; from eval_app.host.main import main; main(None)",
    }
    environment = {**os.environ, "CONCUR_DATA_DIR": str(tmp_path / "data")}
    for name, what in entries.items():
        command = [sys.executable, "-c", program.format(what=what), str(tmp_path / name)]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.stdout.strip() == "0o600", f"{name}: {done.stdout}{done.stderr}"


@pytest.mark.long
@pytest.mark.engine
@pytest.mark.xdist_group("live")
def test_a_whole_run_on_a_loose_folder_leaves_nothing_for_others(whole_run, settings):
    whole_run.wait_for("made 1 path in .* private")
    settings.DATA_DIR = folder = whole_run.folder
    assert private(folder) == []
    assert mode(folder) == 0o700
    assert mode(folder / "concur.sqlite3") == 0o600
