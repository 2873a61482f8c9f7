"""Tests that every log line names its request and its job, in both forms, and that a request's id is its own."""

import io
import json
import logging
from ipaddress import ip_network

import pytest

from concur_site.logs.formatter import LineFormatter
from datasets_app.log_context import context
from datasets_app.log_context.formatters import READABLE, JsonFormatter, ReadableFormatter

log = logging.getLogger("tests.ids")
FORMATTERS = [LineFormatter(READABLE, style="{"), ReadableFormatter(), JsonFormatter()]


@pytest.fixture
def written():
    """Return what a formatter writes of everything that is logged."""
    streams = []

    def begin(formatter):
        handler = logging.StreamHandler(io.StringIO())
        handler.setFormatter(formatter)
        logging.getLogger().addHandler(handler)
        streams.append(handler)
        return handler.stream

    yield begin
    for handler in streams:
        logging.getLogger().removeHandler(handler)


@pytest.mark.parametrize("formatter", FORMATTERS[:2], ids=["site", "host"])
def test_a_readable_line_ends_with_the_ids(written, formatter):
    stream = written(formatter)
    with context.in_request("aaaa-0001"), context.on_job("v:2"):
        log.warning("Sent")
    log.warning("Later")
    first, second = stream.getvalue().splitlines()
    assert first.endswith("tests.ids: Sent [request=aaaa-0001 job=v:2]")
    assert second.endswith("tests.ids: Later")


def test_a_json_line_is_one_object_with_the_ids_and_the_traceback(written):
    stream = written(JsonFormatter())
    with context.in_request("aaaa-0001"):
        try:
            raise ValueError("broken\n2026-01-01 INFO forged\x1b[31m")
        except ValueError:
            log.exception("It %s", "broke\nforged")
    [line] = stream.getvalue().splitlines()
    assert line.isascii()
    record = json.loads(line)
    assert (record["level"], record["logger"], record["request"]) == ("ERROR", "tests.ids", "aaaa-0001")
    assert record["message"] == "It broke\nforged"
    assert "ValueError: broken" in record["error"]
    assert record["at"].endswith("+00:00")
    assert "job" not in record


def test_the_answer_names_the_requests_id_and_each_request_has_its_own(client):
    one, other = (client.get("/health/live")["X-Request-ID"] for _ in range(2))
    assert context.REQUEST_ID.fullmatch(one)
    assert one != other


@pytest.mark.parametrize(
    ("peer", "sent", "taken"),
    [
        ("10.0.0.2", "proxy-id-0001", True),
        ("203.0.113.7", "proxy-id-0001", False),
        ("10.0.0.2", "short", False),
        ("10.0.0.2", "x" * 65, False),
        ("10.0.0.2", 'forged" job=1', False),
    ],
)
def test_an_id_is_taken_from_a_trusted_proxy_alone(client, settings, peer, sent, taken):
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.2")]
    answer = client.get("/health/live", headers={"X-Request-ID": sent}, REMOTE_ADDR=peer)
    assert (answer["X-Request-ID"] == sent) is taken


def test_without_a_trusted_proxy_nobodys_id_is_taken(client):
    answer = client.get("/health/live", headers={"X-Request-ID": "proxy-id-0001"})
    assert answer["X-Request-ID"] != "proxy-id-0001"


def test_the_error_page_shows_the_id_that_the_log_and_the_answer_have(reader, monkeypatch, written):
    from datasets_app.views import tags as views

    stream = written(JsonFormatter())
    monkeypatch.setattr(views, "changeable_tags", lambda actor: 1 / 0)
    reader.raise_request_exception = False
    answer = reader.get("/browse/tags/")
    identifier = answer["X-Request-ID"]
    assert answer.status_code == 500
    assert f"<code>{identifier}</code>" in answer.content.decode()
    records = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert {record["request"] for record in records} == {identifier}
    assert any("ZeroDivisionError" in record.get("error", "") for record in records)
