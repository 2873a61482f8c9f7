"""Follows docs/first-release.md word by word, on a site that runs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live import ROOT

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("live")]

PAGE = (ROOT / "docs" / "first-release.md").read_text()
SITE = "http://127.0.0.1:8000"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path) -> Path:
    """Return a folder that looks as a checkout does to the commands of the page, with the recipe saved in it."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "manage.py").symlink_to(ROOT / "manage.py")
    (tmp_path / "correct.toml").write_text(*blocks("toml"))
    return tmp_path


def test_a_newcomer_who_types_what_the_page_says_gets_to_the_training_data(folder, demo_site):
    script = "\n".join(["set -euo pipefail", *blocks("sh")]).replace(SITE, demo_site.url)
    own = {name: value for name, value in demo_site.environment.items() if not name.startswith("HF_")}
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**own, "HF_HOME": str(folder / "hub"), "HF_HUB_DISABLE_TELEMETRY": "1", "NO_PROXY": "*"},
        capture_output=True,
        text=True,
        timeout=900,  # an upper bound; only a busy machine needs this many
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    (made,) = (json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"name"'))
    assert set(made["splits"]) == {"train", "validation", "test"}, "most of the pack's CUDA kernels"
    assert f"{made['splits']['train']} ['uuid', 'problem_name', 'pytorch_code'" in done.stdout
    assert done.stdout.splitlines()[-1] == "['user', 'assistant']"
    assert os.listdir(folder / "correct-1" / "chat"), "the folder that the training command names"
