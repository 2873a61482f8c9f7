"""Tests that a client generated from the schema by openapi-python-client works."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

pytestmark = pytest.mark.any_database
ROOT = Path(__file__).resolve().parents[2]
PARQUET = "data/train-00000-of-00001.parquet"
USE = f"""
import sys
from concur_generated import AuthenticatedClient
from concur_generated.api.releases import releases_files_retrieve, releases_retrieve

client = AuthenticatedClient(sys.argv[1], sys.argv[2])
release = releases_retrieve.sync("first", client=client)
assert "{PARQUET}" in [file.path for file in release.files]
file = releases_files_retrieve.sync("first", "{PARQUET}", client=client)
open("received", "wb").write(file.payload.read())
print(releases_retrieve.sync("nothing", client=client).detail)
"""


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the schema and the files are the same on each")
def test_a_generated_client_downloads_a_file(release, live_server, export_folder, tmp_path):
    from tests.api.clients import token_for
    from tests.factories import make_user

    schema = tmp_path / "schema.json"
    call_command("spectacular", format="openapi-json", file=str(schema))
    generate = (
        *("generate", "--path", str(schema), "--meta", "none", "--output-path", "concur_generated"),
        *("--config", str(ROOT / "clients" / "openapi-python-client.yaml"), "--fail-on-warning"),
    )
    made = run(tmp_path, "-m", "openapi_python_client", *generate)
    assert made.returncode == 0, made.stdout + made.stderr
    token = token_for(make_user("reader"), "read")
    used = run(tmp_path, "-c", USE, live_server.url, token)
    assert used.returncode == 0, used.stderr
    assert (tmp_path / "received").read_bytes() == (export_folder / "first" / PARQUET).read_bytes()
    assert used.stdout.startswith("There is no release nothing that you may read.")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
