"""Tests of CONCUR_ENV=production: it refuses what is unsafe by name, and what it accepts passes Django's own check."""

import os
import subprocess
import sys

import pytest

from tests.live import ROOT

KEY = "k3y-with-enough-different-characters-0123456789-abcdefgh"
SAFE = {
    "CONCUR_ENV": "production",
    "CONCUR_SECRET_KEY": KEY,
    "CONCUR_HOSTS": "bench.example.org",
    "CONCUR_TLS": "1",
    "REDIS_URL": "redis://site:a-password@broker:6379/0",
}
UNSAFE = {
    "CONCUR_SECRET_KEY": "short",
    "CONCUR_HOSTS": "bench.example.org, *, .example.org",
    "CONCUR_DEBUG": "1",
    "CONCUR_TLS": "0",
    "REDIS_URL": "redis://broker:6379/0",
}


def check(folder, environment, *options):
    own = {name: value for name, value in os.environ.items() if name not in SAFE and name != "DATABASE_URL"}
    return subprocess.run(
        [sys.executable, "-W", "ignore", "manage.py", "check", *options],
        cwd=ROOT,
        env={**own, "CONCUR_DATA_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_what_it_accepts_passes_the_check_for_deployment(tmp_path):
    done = check(tmp_path, SAFE, "--deploy", "--fail-level", "WARNING")
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout
    assert not (tmp_path / "secret-key").exists()


def test_everything_unsafe_is_named_at_once_and_no_secret_repeated(tmp_path):
    done = check(tmp_path, SAFE | UNSAFE)
    assert done.returncode != 0
    last = done.stderr.partition("CONCUR_ENV=production, but")[2]
    assert [name for name in UNSAFE if name not in last] == []
    assert "'*'" in last
    assert "'.example.org'" in last
    assert "short\n" not in last


@pytest.mark.parametrize("name", ["CONCUR_SECRET_KEY", "CONCUR_HOSTS"])
def test_what_is_left_empty_is_named(tmp_path, name):
    done = check(tmp_path, SAFE | {name: ""})
    assert f"{name} is empty" in done.stderr
    assert not (tmp_path / "secret-key").exists(), "no key is generated instead"


def test_another_word_is_refused(tmp_path):
    done = check(tmp_path, {"CONCUR_ENV": "prod"})
    assert "CONCUR_ENV='prod' is not one of: local, production" in done.stderr


def test_a_log_level_that_is_none_is_refused_by_name(tmp_path):
    done = check(tmp_path, {"CONCUR_LOG_LEVEL": "loud"})
    assert "CONCUR_LOG_LEVEL='loud' is not one of: debug, info, warning, error, critical" in done.stderr
