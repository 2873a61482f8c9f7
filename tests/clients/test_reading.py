"""Tests of the client's samples, releases and uploads on a real site."""

import json

import pytest

from concur_client import Client, IngestFailedError, SiteError
from datasets_app.accounts.rates import Rate
from datasets_app.api import throttling
from datasets_app.ingest import run_ingest
from datasets_app.models import Sample
from tests.api.clients import token_for
from tests.factories import make_sample, make_user
from tests.ingest.conftest import concur_row, write_lines

pytestmark = pytest.mark.django_db(transaction=True)
SEPARATED = "one\u2028two\x85three"  # a line separator that ends no line of JSON


@pytest.fixture
def client(live_server):
    with Client(live_server.url, token_for(make_user("curator"), "read", "curate")) as found:
        yield found


def test_samples_are_listed_by_pages_streamed_and_read_one_by_one(client, monkeypatch):
    asked = []
    call = client.transport.call
    monkeypatch.setattr(
        client.transport, "call", lambda *a, **options: asked.append(a) or call(*a, **options)
    )
    first = make_sample(generator="a", reasoning=SEPARATED)
    ids = {str(first.pk)} | {str(make_sample(generator="a").pk) for _ in range(4)}
    make_sample(generator="b")
    listed = client.samples({"generator": "a"}, page_size=2)
    assert next(listed).generator == "a"
    assert len(asked) == 1, "the other pages are read when they are wanted"
    assert [one.id for one in client.samples({"generator": "a"}, page_size=2)] == [
        str(pk)
        for pk in Sample.objects.filter(generator="a").order_by("-created_at").values_list("pk", flat=True)
    ]
    assert {one.id for one in client.samples({"-generator": ["b"]})} == ids
    assert list(client.samples({"generator": "b"}, fields=["language", "generator"])) == [
        {"generator": "b", "language": first.language}
    ]
    rows = {row["id"]: row for row in client.stream_samples({"generator": "a"})}
    assert set(rows) == ids
    assert rows[str(first.pk)]["generated_think"] == SEPARATED
    sample = client.sample(str(first.pk))
    assert (sample.reasoning, sample.tags, sample.verifications) == (SEPARATED, (), ())
    assert "external_id" in sample.more
    with pytest.raises(SiteError) as error:
        list(client.samples({"langauge": "cuda"}))
    assert (error.value.status, list(error.value.errors)) == (400, ["langauge"])
    assert "did you mean language?" in str(error.value)
    with pytest.raises(SiteError) as error:
        client.sample("../releases")
    assert error.value.status == 404


def test_an_uploaded_file_is_waited_for(client, tmp_path, settings):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    good = write_lines(tmp_path / "rows.jsonl", [concur_row(1), {"uuid": 2}])
    ingest = client.upload(good, source="ours", licence="MIT")
    assert (ingest.state, ingest.source, ingest.licence) == ("queued", "ours", "MIT")
    # The worker's part, while the client waits.
    client.transport.pause = lambda seconds: run_ingest(ingest.id)
    done = client.wait_for_ingest(ingest.id)
    assert (done.state, done.rows, done.samples, done.refused) == ("done", 2, 1, 1)
    assert [row["_line"] for row in client.refused_rows(ingest.id)] == [2]
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps({"nothing": "known"}))
    ingest = client.upload(bad)
    with pytest.raises(TimeoutError, match=r"bad\.jsonl is queued after 0 s"):
        client.wait_for_ingest(ingest.id, timeout_s=0)
    with pytest.raises(IngestFailedError, match=r"bad\.jsonl is failed: "):
        client.wait_for_ingest(ingest.id)


def test_a_client_that_asks_too_often_waits_as_long_as_the_site_says(client, monkeypatch):
    now_s, waits = [0.0], []
    rate = Rate(2, lambda: now_s[0])
    monkeypatch.setattr(throttling, "requests_of_tokens", lambda per_minute: rate)

    def pause(seconds: float) -> None:
        waits.append(seconds)
        now_s[0] += seconds

    client.transport.pause = pause
    assert [list(client.releases()) for _ in range(3)] == [[], [], []]
    assert waits == [30]
    client.transport.max_wait_s = 10
    with pytest.raises(SiteError) as error:
        [list(client.releases()) for _ in range(3)]
    assert error.value.status == 429
