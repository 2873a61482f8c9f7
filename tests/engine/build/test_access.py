"""Tests that the sandbox's account can read modules, whatever the umask and the location of the cache."""

import os
from pathlib import Path

from eval_app.engine.build.cache import Cache, Failure, objects_folder

FAILURE = Failure(error="no such function", tier="full", seconds=1.0, log="")


def modes(folder: Path) -> set[int]:
    return {path.stat().st_mode & 0o777 for path in [folder, *folder.rglob("*")] if path.is_dir()}


def test_a_strict_umask_keeps_no_sandbox_from_its_modules(tmp_path):
    before = os.umask(0o077)
    try:
        Cache(tmp_path / "cache", 2**30, 0.0).put_failure("ab" * 32, FAILURE)
    finally:
        os.umask(before)
    assert modes(tmp_path / "cache" / "objects") == {0o755}


def test_the_folder_above_the_modules_stays_as_private_as_it_was(tmp_path):
    (tmp_path / "cache").mkdir(mode=0o700)
    objects_folder(tmp_path / "cache")
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700
