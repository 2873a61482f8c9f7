"""Tests of the key that a site generates for itself."""

import os
import stat

from concur_site.secret_key import secret_key


def test_a_key_is_generated_once_in_a_folder_of_the_owners_alone_under_a_loose_umask(tmp_path, monkeypatch):
    """A type checker that loads the settings is no entry point of the project, and sets no umask."""
    monkeypatch.delenv("CONCUR_SECRET_KEY", raising=False)
    folder = tmp_path / "var"
    before = os.umask(0o022)
    try:
        key = secret_key(folder)
    finally:
        os.umask(before)
    assert len(key) > 50
    assert secret_key(folder) == key
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "secret-key")] == [0o700, 0o600]


def test_a_key_of_the_environment_is_taken_and_none_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("CONCUR_SECRET_KEY", "k" * 50)
    assert secret_key(tmp_path / "var") == "k" * 50
    assert not (tmp_path / "var").exists()
