"""Tests with the Hub's own clients, unmodified, against this site over loopback."""

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import publication
from datasets_app.export.finish import finish_files
from datasets_app.models import Release
from tests.api.clients import token_for
from tests.curate.store import frozen, small_store
from tests.factories import make_user

pytestmark = pytest.mark.any_database
SCRIPT = Path(__file__).with_name("hub_client.py")
EVERYTHING = (
    "loaded",
    "streamed",
    "one_file",
    "snapshot",
    "file_system",
    "information",
    "columns",
    "refusals",
)


@pytest.fixture
def releases(live_server, transactional_db) -> tuple[Release, Release]:
    small_store()
    made = frozen("first"), frozen("secret")
    for release in made:
        finish_files(release)
    publication.set_visibility(made[0], "public", actor=COMMAND)
    publication.set_visibility(made[1], "private", actor=COMMAND)
    return made


def run(command: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder as somebody who has used no client yet."""
    (folder / "home").mkdir(exist_ok=True)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))
    }
    environment |= {
        "HF_HOME": str(folder / "home"),
        "HOME": str(folder / "home"),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "NO_PROXY": "127.0.0.1,localhost",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done


def read_by_clients(live_server, folder: Path, repository: str, *steps: str, token: str = ""):
    """Run the client program; return its results and what it printed besides."""
    own = {"HF_ENDPOINT": live_server.url, **({"HF_TOKEN": token} if token else {})}
    done = run([sys.executable, str(SCRIPT), repository, str(folder), *steps], folder, **own)
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def uuids(release: Release, split: str) -> list[str]:
    rows = release.rows.filter(split=split).order_by("position").values_list("sample_id", flat=True)
    return [str(pk) for pk in rows]


def test_every_client_reads_a_public_release_without_a_token(releases, live_server, tmp_path):
    release, _ = releases
    got, _ = read_by_clients(live_server, tmp_path, "concur/first", *EVERYTHING)
    assert got["loaded"] == {split: uuids(release, split) for split in release.split_counts}
    assert got["streamed"] == got["columns"] == uuids(release, "train")
    assert json.loads(got["one_file"]) == release.definition
    assert got["snapshot"] == sorted(release.exports.in_package().values_list("path", flat=True))
    assert got["file_system"] == {
        "found": [
            f"datasets/concur/first/data/{split}-00000-of-00001.parquet"
            for split in sorted(release.split_counts)
        ],
        "folders": ["datasets/concur/first/data", "datasets/concur/first/jsonl"],
        "there": [True, False],
        "part": "pretty_name",
    }
    commit = release.content_sha256[:40]
    assert got["information"] == {
        "sha": commit,
        "again": commit,
        "private": False,
        "sizes": dict(release.exports.in_package().values_list("path", "size_bytes")),
        "branches": [["main", commit]],
    }
    kinds = {name: kind for name, (kind, _) in got["refusals"].items()}
    assert kinds == {
        "file": "RemoteEntryNotFoundError",
        "revision": "RevisionNotFoundError",
        "repository": "RepositoryNotFoundError",
        "private": "RepositoryNotFoundError",  # a stranger is not told that there is one
    }
    assert "has no revision 'v9'" in got["refusals"]["revision"][1]
    assert "set HF_TOKEN" in got["refusals"]["private"][1]


def test_a_private_release_is_read_by_the_token_of_a_named_reader(releases, live_server, tmp_path):
    release = releases[1]
    ada = make_user("reader", "ada")
    publication.set_visibility(release, "private", ["ada"], actor=COMMAND)
    publication.yank(release, "a leak between splits", actor=COMMAND)
    steps = ("streamed", "one_file", "refusals")
    got, printed = read_by_clients(
        live_server, tmp_path, "concur/secret", *steps, token=token_for(ada, "read")
    )
    assert got["streamed"] == uuids(release, "train")
    assert got["refusals"]["private"] == ["nothing", ""]
    assert "Release secret is yanked: a leak between splits" in printed


def test_an_account_that_is_not_named_learns_nothing_of_the_name(releases, live_server, tmp_path):
    token = token_for(make_user("reader"), "read")
    got, _ = read_by_clients(live_server, tmp_path, "concur/first", "refusals", token=token)
    kind, words = got["refusals"]["private"]
    assert kind == "RepositoryNotFoundError"
    assert "no finished release concur/secret here" in words


def test_duckdb_and_polars_which_ignore_the_endpoint_read_by_the_hubs_file_system(
    releases, live_server, tmp_path
):
    ada = make_user("reader", "ada")
    publication.set_visibility(releases[1], "private", ["ada"], actor=COMMAND)
    for release, token in zip(releases, ("", token_for(ada, "read")), strict=True):
        repository, steps = f"concur/{release.name}", ("by_duckdb", "by_polars")
        got, _ = read_by_clients(live_server, tmp_path, repository, *steps, token=token)
        assert got == dict.fromkeys(steps, uuids(release, "train"))


def test_what_the_page_of_a_release_offers_to_copy_works(releases, live_server, tmp_path):
    page = httpx.get(f"{live_server.url}/releases/first/").text
    shown = {
        name: html.unescape(code)
        for name, code in re.findall(r'<code id="use-(\w+)">(.*?)</code>', page, re.DOTALL)
    }
    assert list(shown) == ["datasets", "curl", "snapshot", "pandas", "check", "rebuild"]
    for client, ids in (("datasets", 'rows["train"]["uuid"][:]'), ("pandas", 'list(rows["uuid"])')):
        program = f"{shown[client]}\nimport json; print(json.dumps({ids}))"
        done = run([sys.executable, "-c", program], tmp_path)
        assert json.loads(done.stdout.splitlines()[-1]) == uuids(releases[0], "train")
    (tmp_path / "by-curl").mkdir()
    run(["bash", "-ec", shown["curl"]], tmp_path / "by-curl")
    run(["bash", "-ec", f"{shown['snapshot']}\n{shown['check']}"], tmp_path)
    (downloaded,) = (tmp_path / "by-curl" / "data").iterdir()
    assert downloaded.read_bytes() == (tmp_path / "first" / "data" / downloaded.name).read_bytes()


def test_the_file_system_says_when_a_file_changed(releases, live_server, tmp_path):
    got, _ = read_by_clients(live_server, tmp_path, "concur/first", "modified")
    assert got["modified"] == [f"{releases[0].finished_at:%Y-%m-%d %H:%M:%S}+00:00"] * 2
