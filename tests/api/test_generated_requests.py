"""Tests the API with requests that schemathesis generates from its schema, valid ones and invalid ones.

It counts every answer that contradicts the schema: a valid request that is refused, an invalid one that is accepted,
a status, media type or body that is not declared, a server error. There are none. `schemathesis.toml` beside this file
has the few things that an OpenAPI schema cannot say, each with its reason.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from datasets_app.api import throttling
from datasets_app.export.finish import finish_files
from tests.api.clients import token_for
from tests.curate.store import frozen, small_store
from tests.factories import make_user

PROGRAM = Path(sys.executable).with_name("schemathesis")
CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
EXTENTS = [
    pytest.param(("--phases", "fuzzing", "--max-examples", "1"), id="few"),
    pytest.param(("--max-examples", "8"), id="many", marks=pytest.mark.long),
]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.any_database]


@pytest.fixture
def token(settings, tmp_path, monkeypatch):
    settings.EXPORT_DIR = tmp_path / "exports"
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.API_RATE = 10_000_000
    monkeypatch.setattr(throttling.bad_tokens, "per_minute", 10_000_000)  # they are expected to answer 401
    small_store()
    finish_files(frozen("first"))
    return token_for(make_user("administrator"), "read", "annotate", "curate", "admin")


@pytest.mark.parametrize("extent", EXTENTS)
def test_no_answer_contradicts_the_schema(live_server, token, tmp_path, extent):
    command = [PROGRAM, "--config-file", CONFIGURATION, "--no-color", "run", f"{live_server.url}/api/schema/"]
    options = [*extent, "--header", f"Authorization: Bearer {token}"]
    # The folder of the checks that the configuration names.
    environment = os.environ | {"PYTHONPATH": str(CONFIGURATION.parent)}
    done = subprocess.run(
        [*command, *options], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.stdout
