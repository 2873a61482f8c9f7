"""Tests that docs/webhooks.md tells the truth: its example checks real deliveries, and its numbers are the code's."""

import re
import time
from pathlib import Path

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import WebhookDelivery, WebhookEvent
from datasets_app.webhooks import deliver, verbs
from datasets_app.webhooks.signature import signature

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "webhooks.md").read_text()
SENTENCES = " ".join(PAGE.split())


@pytest.fixture
def is_genuine():
    [example] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    written = {}
    exec(example, written)
    return written["is_genuine"]


@pytest.mark.django_db
def test_the_example_accepts_what_the_site_sends(is_genuine, receiver):
    webhook, secret = receiver.webhook()
    deliver.run(verbs.send_test(webhook, actor=COMMAND).pk)
    [request] = receiver.received
    assert is_genuine(secret, request.headers, request.body)
    assert not is_genuine(secret, request.headers, request.body + b" ")
    assert not is_genuine("whsec_other", request.headers, request.body)


@pytest.mark.parametrize("seconds", [-301, 301])
def test_the_example_refuses_what_was_signed_at_another_time(is_genuine, seconds):
    at = int(time.time()) + seconds
    headers = {"X-Concur-Timestamp": str(at), "X-Concur-Signature-256": signature("secret", at, "{}")}
    assert not is_genuine("secret", headers, b"{}")


@pytest.mark.parametrize("given", ["", "sha256=", "sha256=é", "md5=00"])
def test_the_example_refuses_a_signature_that_is_none(is_genuine, given):
    headers = {"X-Concur-Timestamp": "now", "X-Concur-Signature-256": given}
    assert not is_genuine("secret", headers, b"{}")


def test_the_page_names_every_event():
    assert set(re.findall(r"^\| `([a-z.]+)`", PAGE, re.MULTILINE)) == {*WebhookEvent.values, "ping"}


def test_the_page_has_the_numbers_of_the_code():
    assert f"within {deliver.ATTEMPT_SECONDS:g} seconds" in SENTENCES
    assert [pause.total_seconds() / 60 for pause in deliver.PAUSES] == [1, 10, 60, 5 * 60, 18 * 60]
    assert len(deliver.PAUSES) == WebhookDelivery.MAX_ATTEMPTS - 1 == 5
    assert "tried six times, with pauses of 1 minute, 10 minutes, 1 hour, 5 hours and 18 hours" in SENTENCES
    assert f"last {deliver.KEPT.days} days" in SENTENCES
    assert deliver.SWITCHED_OFF_AFTER.days == 3
    assert "every delivery of three days was given up" in SENTENCES
