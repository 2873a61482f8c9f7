"""Tests the documentation: it builds without a warning, needs no network, and its commands do what they say."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live import ROOT

DOCS = ROOT / "docs"
SITE = "http://127.0.0.1:8000"
PAGES = ["install", "operate", "annotate", "curate", "download", "api"]
QUICK = ["operate"]  # the others run with the long tests


@pytest.mark.long
def test_it_builds_whole_and_loads_nothing_from_elsewhere(tmp_path):
    built = tmp_path / "html"
    options = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(tmp_path / "doctrees")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(DOCS), str(built)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    sources = sorted(path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md"))
    index = json.loads(
        (built / "searchindex.js").read_text().removeprefix("Search.setIndex(").removesuffix(")")
    )
    assert sorted(index["docnames"]) == sources
    for page in built.rglob("*.html"):
        text = page.read_text()
        assert not re.findall(r"""<(?:script|img|iframe)[^>]*\ssrc=["'](?:https?:)?//""", text), page
        assert not re.findall(r"""<link[^>]*rel="stylesheet"[^>]*href=["'](?:https?:)?//""", text), page


def blocks(page: str) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```$", (DOCS / f"{page}.md").read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return a folder that looks as a checkout does to the commands."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / ".venv").symlink_to(sys.prefix)
    (folder / "manage.py").symlink_to(ROOT / "manage.py")
    (folder / "backups").mkdir()
    return folder


@pytest.mark.engine
@pytest.mark.xdist_group("live")
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=() if page in QUICK else pytest.mark.long) for page in PAGES]
)
def test_its_commands_do_what_they_say(demo_site, folder, page):
    script = "\n".join(["set -euo pipefail", *blocks(page)]).replace(SITE, demo_site.url)
    assert blocks(page)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**demo_site.environment, "NO_PROXY": "*"},
        capture_output=True,
        text=True,
        timeout=900,  # an upper bound; only a busy machine needs this many
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    expected = {"operate": "is whole", "api": "results", "annotate": "", "download": "results"}
    assert expected.get(page, "") in done.stdout
