"""Builds wheel and source distribution, installs the wheel into a fresh environment, and runs the site from it."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
from pathlib import Path

import pytest

from tests.live import ROOT, LiveSite

pytestmark = [pytest.mark.long, pytest.mark.engine, pytest.mark.xdist_group("live")]
LEFT = shutil.ignore_patterns(".git", ".venv", "var", "dist", "__pycache__", ".*_cache", "backups")


def run(*command, **options) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=300, check=False, **options
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Build both: the wheel is made from the source distribution, so that this is complete."""
    folder = tmp_path_factory.mktemp("dist")
    source = tmp_path_factory.mktemp("source") / "project"
    shutil.copytree(ROOT, source, ignore=LEFT)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, source)
    return folder


@pytest.fixture(scope="module")
def environment(built, tmp_path_factory) -> Path:
    """A fresh environment with the wheel; its dependencies are those of the tests' environment."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    [packages] = (folder / "lib").glob("python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    [wheel] = built.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--no-deps"]
    run(*pip, "--no-index", "--quiet", wheel)
    return folder


class InstalledSite(LiveSite):
    """A site that runs from the wheel, in a folder without a checkout."""

    def __init__(self, environment: Path, folder: Path, **variables: str) -> None:
        super().__init__(folder, **variables)
        self.command = [str(environment / "bin" / "concur-site"), "up"]
        self.environment.pop("PYTHONPATH", None)


def test_the_site_runs_from_the_wheel(environment, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr("tests.live.ROOT", elsewhere)
    variables = {"CONCUR_DEMO_VERIFY": "0", "CONCUR_SITE_PROCESSES": "1"}
    with InstalledSite(environment, tmp_path / "data", **variables) as site:
        page = site.get("/accounts/login/").decode()
        style = page.partition('rel="stylesheet" href="')[2].partition('"')[0]
        assert style.startswith("/static/css/")
        assert len(site.get(style)) > 1000
        assert b'"ok"' in site.get("/healthz")
    assert site.process.returncode == 0
    concur = environment / "bin" / "concur-site"
    assert "backup" in run(concur, "help", cwd=elsewhere)
    where = run(
        environment / "bin" / "python", "-c", "import concur_site; print(concur_site.__file__)", cwd=elsewhere
    )
    assert where.startswith(str(environment))
    taken = run(concur, "backup", tmp_path / "site.zip", cwd=elsewhere, env=site.environment)
    assert taken.strip().endswith("site.zip")


def test_the_source_distribution_has_what_a_checkout_has(built):
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = ["manage.py", "Makefile", "deploy/compose.yaml", "docs/operate.md", "requirements/web.lock"]
    wanted += ["templates/base.html", "static/css/base.css", "tests/conftest.py", "LICENSE", "README.md"]
    assert [name for name in wanted if name not in names] == []
    assert not any(part in name for name in names for part in ("__pycache__", ".venv", "secret-key"))
    assert os.path.getsize(path) < 8 * 2**20
