"""Tests of the locked packages: their licences, known faults where an index can be asked, else the lock's age."""

import re
import shutil
import subprocess
from datetime import UTC, date, datetime, timedelta
from importlib import metadata
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.any_database]
ROOT = Path(__file__).parents[2]
MAKEFILE = ROOT / "Makefile"
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
PINNED = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+)", re.MULTILINE)
RESOLVED = re.compile(r"^# Resolved on (\d{4}-\d\d-\d\d)", re.MULTILINE)
OLDEST = timedelta(days=183)
# Licences that oblige whoever serves or ships the site to nothing but a notice, by words of their names.
PERMISSIVE = re.compile(r"MIT|BSD|Apache|ISC|PSF|Zlib|Zope Public|ZPL-2|CC0|BSL-1\.0", re.IGNORECASE)
# Obliging for changes of the package itself alone, which the project does not make.
OF_THE_FILE = re.compile(r"MPL|Mozilla Public License", re.IGNORECASE)
KNOWN = {
    "psycopg": "LGPL-3.0-only: used as a library, unchanged",
    "psycopg-binary": "LGPL-3.0-only: used as a library, unchanged",
    "axe-playwright-python": "MIT, in its repository alone; for tests",
    "mlcroissant": "Apache-2.0, in its repository alone; for tests",
}
NOT_INSTALLED = "sys_platform|platform_|python_full_version|python_version"  # markers of other machines
INDEX_IS_AWAY = ("could not be audited", "ConnectionError", "Max retries exceeded", "HTTPError", "Timeout")


def pinned():
    """Return every package of the locks with its version, but those for other machines."""
    lines = (
        line for lock in LOCKS for line in lock.read_text().splitlines() if not re.search(NOT_INSTALLED, line)
    )
    return dict(found.groups() for line in lines if (found := PINNED.match(line)))


def licence(name):
    about = metadata.metadata(name)
    listed = [
        text.split(" :: ")[-1] for text in about.get_all("Classifier") or [] if text.startswith("License ::")
    ]
    return (
        about.get("License-Expression")
        or "; ".join(listed)
        or (about.get("License") or "").partition("\n")[0]
    )


def test_every_locked_package_has_a_licence_that_allows_what_the_project_does():
    packages = pinned()
    assert len(packages) > 100
    faults = {}
    for name in packages:
        try:
            text = licence(name)
        except metadata.PackageNotFoundError:
            continue  # of a lock that is not installed here
        if name not in KNOWN and not PERMISSIVE.search(text) and not OF_THE_FILE.search(text):
            faults[name] = text
    assert not faults
    assert not set(KNOWN) - set(packages), "no longer used: take it out"


def test_the_licence_of_a_strict_copyleft_is_no_permissive_one():
    for text in ("AGPL-3.0-or-later", "GNU General Public License v3 (GPLv3)", "SSPL-1.0", ""):
        assert not PERMISSIVE.search(text)
        assert not OF_THE_FILE.search(text)


def test_a_lock_that_is_resolved_anew_says_when(tmp_path):
    """`make lock` in a folder of its own, with a program that writes a pin in place of uv."""
    (tmp_path / "requirements").mkdir()
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "made").touch()
    for name in ("verify", "web", "dev"):
        (tmp_path / "requirements" / f"{name}.lock").touch()
        (tmp_path / ".venv" / name).touch()
    uv = tmp_path / ".venv" / "bin" / "uv"
    uv.write_text('#!/bin/sh\nfor last; do :; done\necho a==1 > "$last"\n')
    uv.chmod(0o755)
    subprocess.run(["make", "-f", MAKEFILE, "lock", "PIP=true"], cwd=tmp_path, check=True)
    for name in ("web", "dev"):
        text = (tmp_path / "requirements" / f"{name}.lock").read_text()
        assert date.fromisoformat(RESOLVED.match(text)[1]) == date.today()
        assert text.endswith("\na==1\n")


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_no_locked_package_has_a_known_fault_or_the_lock_is_young(lock):
    said = audit(lock)
    if said is None:
        resolved = date.fromisoformat(RESOLVED.search(lock.read_text())[1])
        age = datetime.now(UTC).date() - resolved
        assert age < OLDEST, (
            f"{lock.name} was resolved {age.days} days ago: resolve it anew, or run pip-audit"
        )
    else:
        assert said == ""


def audit(lock):
    """Return what pip-audit has against the lock, '' if nothing; None where it or its index is not to be had."""
    program = shutil.which("pip-audit")
    if program is None:
        return None
    command = [program, "--no-deps", "--disable-pip", "--progress-spinner", "off", "-r", str(lock)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return None
    said = done.stdout + done.stderr
    if any(word in said for word in INDEX_IS_AWAY):
        return None
    return "" if done.returncode == 0 else said
