"""Tests of who reads modules: each job its own, whatever the umask and the location of the cache."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from eval_app.engine.build.cache import Cache, Failure, objects_folder
from eval_app.engine.sandbox import bubblewrap

FAILURE = Failure(error="no such function", tier="full", seconds=1.0, log="")


def modes(folder: Path) -> set[int]:
    return {path.stat().st_mode & 0o777 for path in [folder, *folder.rglob("*")] if path.is_dir()}


def test_a_strict_umask_keeps_no_sandbox_from_its_modules(tmp_path):
    before = os.umask(0o077)
    try:
        Cache(tmp_path / "cache", 2**30, 0.0).put_failure("ab" * 32, FAILURE)
    finally:
        os.umask(before)
    objects = tmp_path / "cache" / "objects"
    assert modes(objects / "ab" / ("ab" * 32)) == {0o755}


def test_a_job_reads_the_module_whose_key_it_knows_and_lists_no_other(tmp_path):
    Cache(tmp_path / "cache", 2**30, 0.0).put_failure("ab" * 32, FAILURE)
    objects = tmp_path / "cache" / "objects"
    for folder in (objects, objects / "ab"):
        assert folder.stat().st_mode & 0o777 == 0o711


@pytest.mark.engine
@pytest.mark.skipif(os.getuid() != 0 or shutil.which("bwrap") is None, reason="needs root and bubblewrap")
def test_inside_a_sandbox_other_modules_cannot_be_found(tmp_path):
    Cache(tmp_path / "cache", 2**30, 0.0).put_failure("ab" * 32, FAILURE)
    objects = tmp_path / "cache" / "objects"
    known = objects / "ab" / ("ab" * 32) / "build.json"
    program = f"""
import os
print(os.path.getsize({str(known)!r}) > 0)
for folder in ({str(objects)!r}, {str(objects / "ab")!r}):
    try:
        print(os.listdir(folder))
    except PermissionError:
        print("refused")
"""
    command = bubblewrap.wrap_build(["python", "-c", program], (), [str(objects)])
    done = subprocess.run(
        command, env=bubblewrap.build_environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.split() == ["True", "refused", "refused"], done.stderr


def test_a_workspace_goes_however_deep_a_compiler_left_it(tmp_path):
    cache = Cache(tmp_path / "cache", 2**30, 0.0)
    with cache.workspace("ab" * 32) as folder:
        before = os.getcwd()
        os.chdir(folder)
        for _ in range(1500):
            os.mkdir("deep")
            os.chdir("deep")
        os.chdir(before)
    assert not list((tmp_path / "cache" / "work").iterdir())


def test_the_folder_above_the_modules_stays_as_private_as_it_was(tmp_path):
    (tmp_path / "cache").mkdir(mode=0o700)
    objects_folder(tmp_path / "cache")
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700
