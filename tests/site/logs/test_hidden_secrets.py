"""Tests that no token, key or password is in a log, whichever way it is said."""

import io
import json
import logging

import pytest

from concur_site.logs.formatter import LineFormatter
from datasets_app.accounts.actor import COMMAND
from datasets_app.accounts.api_tokens import make_token
from datasets_app.log_context.formatters import READABLE, JsonFormatter, ReadableFormatter
from datasets_app.log_context.secrets import without_secrets
from datasets_app.webhooks import verbs
from eval_app.workers import registry
from tests.factories import make_user

FORMATTERS = [LineFormatter(READABLE, style="{"), ReadableFormatter(), JsonFormatter()]
SAID = [
    "{}",
    "Authorization: Bearer {}",
    "redis://host-gpu-7:{}@broker:6379/0",
    "postgresql://site:{}@db/site?password={}",
    "CONCUR_ADMIN_PASSWORD={}",
    "{{'api_key': '{}'}}",
]


def logged(formatter, say):
    """Return what is written of a record and of an exception that both quote the text."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    logger = logging.getLogger("tests.secrets")
    logger.addHandler(handler)
    try:
        logger.error("said %s", say)
        try:
            raise ValueError(say)
        except ValueError:
            logger.exception("broke")
    finally:
        logger.removeHandler(handler)
    return stream.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize("formatter", FORMATTERS, ids=["site", "host", "json"])
def test_what_the_site_gives_out_is_hidden(formatter):
    token = make_token(make_user("administrator"), ["admin"], actor=COMMAND)[1]
    _, key = registry.add_host("gpu-7", actor=COMMAND)
    _, secret = verbs.create("https://hooks.example.org/x", ["release.frozen"], actor=COMMAND)
    for given in (token, key, secret):
        text = logged(formatter, f"it was {given}, and more")
        assert given not in text
        assert text.count("[hidden]") == 2 + text.count("[hidden] [hidden]")
        assert "and more" in text
        for part in given.split("."):
            assert len(part) < 16 or part not in text


@pytest.mark.parametrize("form", SAID[1:])
def test_a_password_is_hidden_however_it_is_said(form):
    password = "kX9-hunter2"
    for formatter in FORMATTERS:
        assert password not in logged(formatter, form.format(*[password] * form.count("{}"))), form


@pytest.mark.parametrize(
    "text",
    [
        "GET /browse/?q=token&sort=name 200",
        "1204 tokens in 0.3 s",
        "Sent to verify.cpu",
        "http://127.0.0.1:8000/healthz",
        "sample 0f3c5e0e-5f0b-5c7b-9f61-6d1f7a3d8f10 on NVIDIA H200",
        '{"message": "a basic test"}',
    ],
)
def test_what_is_no_secret_stays(text):
    assert without_secrets(text) == text


@pytest.mark.django_db
def test_requests_with_secrets_log_none(client):
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    token = make_token(make_user("reader"), ["read"], actor=COMMAND)[1]
    make_user("annotator", "pia")
    try:
        client.get("/api/v1/none/", headers={"Authorization": f"Bearer {token}"})
        client.get(f"/none/?token={token}")
        client.get(f"/none/{token}/")
        client.post("/accounts/login/", {"username": "pia", "password": "a wrong pass-phrase"})
        client.post("/accounts/login/", {"username": "pia", "password": "pia"})
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    lines = [
        line for line in stream.getvalue().splitlines() if json.loads(line)["logger"] != "django.db.backends"
    ]
    assert any("/none/" in line for line in lines)
    for secret in (token, "wrong pass-phrase"):
        assert secret not in "\n".join(lines)
