"""Tests of the pages of webhooks: for administrators, with the secret shown once and nowhere else."""

import logging
import re

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.jobs import job_row
from datasets_app.models import AuditEntry, JobState, Webhook, WebhookDelivery
from datasets_app.webhooks import deliver, verbs

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.org/services/T0/s3cret-path"
FORM = {"url": URL, "event": ["release.frozen", "export.failed"]}
SECRET = re.compile(r"whsec_[\w-]{43}")


@pytest.fixture
def webhook():
    return verbs.create(URL, ["release.frozen"], actor=COMMAND)[0]


def text(answer):
    return answer.content.decode()


def test_an_administrator_adds_a_webhook_and_sees_its_secret_once(administrator):
    answer = administrator.post("/webhooks/add/", FORM)
    assert answer.status_code == 201
    assert "no-store" in answer["Cache-Control"]
    [secret] = SECRET.findall(text(answer))
    webhook = Webhook.objects.get()
    assert (webhook.url, webhook.events) == (URL, ["release.frozen", "export.failed"])
    assert webhook.created_by.username.startswith("administrator")
    for path in ("/webhooks/", f"/webhooks/{webhook.pk}/", "/people/audit/", "/admin/datasets_app/webhook/"):
        assert not SECRET.search(text(administrator.get(path)))
    admin_page = text(administrator.get(f"/admin/datasets_app/webhook/{webhook.pk}/change/"))
    assert webhook.salt not in admin_page
    assert secret not in admin_page


def test_the_secret_is_in_no_table_and_no_log_line(administrator, receiver, caplog):
    caplog.set_level(logging.DEBUG)
    receiver.answers = [500]
    form = {"url": receiver.url, "event": ["release.frozen"]}
    [secret] = SECRET.findall(text(administrator.post("/webhooks/add/", form)))
    webhook = Webhook.objects.get()
    deliver.run(verbs.send_test(webhook, actor=COMMAND).pk)
    [second] = SECRET.findall(text(administrator.post(f"/webhooks/{webhook.pk}/secret/")))
    assert receiver.received
    assert second != secret
    tables = (Webhook, WebhookDelivery, AuditEntry)
    stored = str([list(model.objects.values()) for model in tables])
    for shown in (secret, second):
        assert shown not in stored
        assert shown not in caplog.text
    assert "room=7" not in caplog.text, "a URL may contain a secret as well"


def test_the_audit_log_names_the_host_alone(administrator, webhook):
    for action in ("change", "test", "secret", "off", "on", "delete"):
        administrator.post(f"/webhooks/{webhook.pk}/{action}/", FORM)
    administrator.post("/webhooks/add/", FORM)
    entries = AuditEntry.objects.filter(action__startswith="webhook.")
    assert sorted(entry.action.removeprefix("webhook.") for entry in entries) == [
        *("change", "create", "create", "delete", "off", "on", "secret", "test")
    ]
    assert "s3cret-path" not in str(list(entries.values()))
    page = text(administrator.get("/people/audit/"))
    assert "switched the webhook to hooks.example.org off" in page
    assert "s3cret-path" not in page


def test_a_curator_does_not_read_of_webhooks_on_the_home_page(administrator, curator, webhook):
    assert "a webhook to hooks.example.org" in text(administrator.get("/"))
    assert "hooks.example.org" not in text(curator.get("/"))


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({**FORM, "url": "http://hooks.example.org/"}, "must begin with https://"),
        ({**FORM, "url": "https://10.0.0.1/<script>"}, "This is not a URL"),
        ({**FORM, "url": "https://10.0.0.1/"}, "10.0.0.1 is not a public address"),
        ({**FORM, "event": []}, "Choose at least one event"),
        ({**FORM, "event": ["release.burnt"]}, "There is no event"),
    ],
)
@pytest.mark.parametrize("where", ["/webhooks/add/", "/webhooks/{}/change/"])
def test_a_refused_form_comes_back_with_what_was_typed(administrator, webhook, form, sentence, where):
    answer = administrator.post(where.format(webhook.pk), form)
    assert answer.status_code == 400
    assert sentence in text(answer)
    assert form["url"].replace("<", "&lt;").replace(">", "&gt;") in text(answer)
    checked = re.findall(r'value="([a-z.]+)" checked', text(answer))
    assert checked == [event for event in form["event"] if event != "release.burnt"]
    webhook.refresh_from_db()
    assert (webhook.url, webhook.events, Webhook.objects.count()) == (URL, ["release.frozen"], 1)


def test_there_is_a_most_of_webhooks(administrator, webhook, monkeypatch):
    monkeypatch.setattr(verbs, "MOST_WEBHOOKS", 1)
    answer = administrator.post("/webhooks/add/", FORM)
    assert answer.status_code == 400
    assert "delete one first" in text(answer)


def test_a_change_keeps_the_secret(administrator, webhook):
    administrator.post(
        f"/webhooks/{webhook.pk}/change/", {"url": "https://other.example.org/", "event": ["release.yanked"]}
    )
    changed = Webhook.objects.get()
    assert (changed.url, changed.events) == ("https://other.example.org/", ["release.yanked"])
    assert changed.salt == webhook.salt


def test_it_is_switched_off_and_on(administrator, webhook):
    page = administrator.post(f"/webhooks/{webhook.pk}/off/", follow=True)
    assert "The webhook is off" in text(page)
    assert "Switch on" in text(page)
    administrator.post(f"/webhooks/{webhook.pk}/on/")
    assert Webhook.objects.active().exists()


def test_one_that_the_site_switched_off_says_why(administrator, webhook):
    verbs.switch_off(webhook, note="Every delivery since 2026-11-20 10:00 was given up.", actor=COMMAND)
    assert "Every delivery since 2026-11-20 10:00 was given up." in text(
        administrator.get(f"/webhooks/{webhook.pk}/")
    )
    assert "by the site" in text(administrator.get("/webhooks/"))


def test_it_is_deleted_with_its_deliveries(administrator, webhook):
    verbs.send_test(webhook, actor=COMMAND)
    page = administrator.post(f"/webhooks/{webhook.pk}/delete/", follow=True)
    assert "The webhook to hooks.example.org is deleted." in text(page)
    assert not Webhook.objects.exists()
    assert not WebhookDelivery.objects.exists()


def test_a_delivery_says_how_it_ended_and_is_sent_again(administrator, webhook):
    row = verbs.send_test(webhook, actor=COMMAND)
    job_row.fail(job_row.claim(WebhookDelivery, row.pk), "The answer was 500.", status_code=500)
    page = text(administrator.get(f"/webhooks/{webhook.pk}/"))
    assert "given up" in page
    assert "The answer was 500." in page
    assert str(row.pk) in page
    answer = administrator.post(f"/webhooks/deliveries/{row.pk}/again/", follow=True)
    assert "on its way again" in text(answer)
    row.refresh_from_db()
    assert row.state == JobState.QUEUED


def test_a_delivery_of_a_webhook_that_is_off_is_not_sent_again(administrator, webhook):
    row = deliver_row(webhook)
    verbs.switch_off(webhook, actor=COMMAND)
    assert "again/" not in text(administrator.get(f"/webhooks/{webhook.pk}/"))
    answer = administrator.post(f"/webhooks/deliveries/{row.pk}/again/")
    assert answer.status_code == 400
    assert "switch it on first" in text(answer)


def deliver_row(webhook):
    """Return a delivery of the webhook that was given up."""
    row = WebhookDelivery.objects.create(webhook=webhook, event="release.frozen", body="{}")
    job_row.fail(job_row.claim(WebhookDelivery, row.pk), "The answer was 500.", status_code=500)
    return row


def test_the_pages_cost_a_fixed_number_of_queries(administrator, webhook, django_assert_num_queries):
    for number in range(5):
        other, _ = verbs.create(f"{URL}/{number}", ["release.frozen"], actor=COMMAND)
        for _ in range(3):
            deliver_row(other)
    with django_assert_num_queries(
        3
    ):  # session, account with its role, webhooks with their newest deliveries
        administrator.get("/webhooks/")
    with django_assert_num_queries(4):  # the webhook and its deliveries instead
        administrator.get(f"/webhooks/{other.pk}/")


@pytest.mark.parametrize("role", ["reader", "annotator", "curator"])
def test_others_see_and_change_nothing(role, request, webhook):
    client = request.getfixturevalue(role)
    for path in ("/webhooks/", f"/webhooks/{webhook.pk}/"):
        assert client.get(path).status_code == 403
    for path in (
        "/webhooks/add/",
        *(f"/webhooks/{webhook.pk}/{verb}/" for verb in ("change", "off", "secret", "test")),
    ):
        assert client.post(path, FORM).status_code == 403
    assert not WebhookDelivery.objects.exists()
    assert list(Webhook.objects.values_list("salt", "disabled_at")) == [(webhook.salt, None)]
