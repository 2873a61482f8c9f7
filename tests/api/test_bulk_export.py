"""Tests of an export over many samples, requested and downloaded with only a token."""

import json

import pytest

from datasets_app.bulk.run import run_bulk
from datasets_app.models import BulkAction
from tests.api.clients import api, token_for
from tests.factories import make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def export_folder(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path


def annotator():
    return api(token_for(make_user("annotator"), "read", "annotate"))


@pytest.fixture
def export():
    """Return the API's answer about a finished export of one sample, and the client that requested it."""
    sample, client = make_sample(), annotator()
    asked = client.post("/api/v1/bulk-actions/", {"action": "export", "query": ""}).json()
    run_bulk(asked["id"])
    return sample, client, client.get(f"/api/v1/bulk-actions/{asked['id']}/").json()


def test_the_address_of_the_file_is_one_that_a_token_opens(export):
    sample, client, done = export
    assert done["result"]["url"] == f"/api/v1/bulk-actions/{done['id']}/file/"
    answer = client.get(done["result"]["url"])
    assert answer.status_code == 200
    [line] = b"".join(answer.streaming_content).splitlines()
    assert json.loads(line)["id"] == str(sample.pk)


def test_another_persons_file_is_not_there(export):
    *_, done = export
    assert annotator().get(done["result"]["url"]).status_code == 404


def test_a_file_that_is_not_written_yet_is_not_there(export):
    _, client, done = export
    BulkAction.objects.filter(pk=done["id"]).update(state="queued", result={})
    assert client.get(f"/api/v1/bulk-actions/{done['id']}/").json()["result"] == {}
