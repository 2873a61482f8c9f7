"""Tests of a forgotten password: a link by e-mail, which says nothing about who has an account."""

import re
from datetime import timedelta

import pytest
from django.core import mail

from datasets_app.accounts import reset_mail
from datasets_app.models import AuditEntry
from datasets_app.views import forgotten
from tests.factories import make_user

ADDRESS = "ada@example.org"
PAGE = "/account/forgotten/"
NEW = "a-new-Password-7"


@pytest.fixture(autouse=True)
def sends_mail(settings, monkeypatch, db):
    settings.SENDS_MAIL = True
    monkeypatch.setattr(reset_mail, "send_in_background", reset_mail.send_links)
    forgotten.RATE.clear()


@pytest.fixture
def ada():
    user = make_user("annotator", "ada")
    user.email = ADDRESS
    user.set_password("the-old-Password-7")
    user.save()
    return user


def test_the_link_in_the_message_sets_a_new_password(client, ada):
    assert client.post(PAGE, {"email": ADDRESS.upper()}).status_code == 302
    [message] = mail.outbox
    assert message.to == [ADDRESS]
    link = re.search(r"http://testserver(/account/reset/\S+)", message.body)[1]
    form = client.get(link, follow=True)
    client.post(form.redirect_chain[-1][0], {"new_password1": NEW, "new_password2": NEW})
    ada.refresh_from_db()
    assert ada.check_password(NEW)
    assert AuditEntry.objects.filter(action="password.reset-mail", target_id=str(ada.pk)).exists()


def test_the_answer_is_the_same_for_an_address_that_nobody_has(client, ada):
    known, unknown = (
        client.post(PAGE, {"email": email}, follow=True) for email in (ADDRESS, "b@example.org")
    )
    assert known.redirect_chain == unknown.redirect_chain
    assert [str(m) for m in known.context["messages"]] == [str(m) for m in unknown.context["messages"]]
    assert len(mail.outbox) == 1


def test_a_deactivated_account_gets_none(client, ada):
    ada.is_active = False
    ada.save()
    client.post(PAGE, {"email": ADDRESS})
    assert mail.outbox == []


def test_what_is_no_address_is_refused_with_the_text_kept(client):
    response = client.post(PAGE, {"email": "ada at example"})
    assert response.status_code == 400
    assert "ada at example" in response.content.decode()


def test_many_requests_from_one_place_are_slowed_down(client, ada):
    for _ in range(forgotten.PER_MINUTE):
        client.post(PAGE, {"email": ADDRESS})
    response = client.post(PAGE, {"email": ADDRESS})
    assert response.status_code == 429
    assert "try again in" in response.content.decode()


def test_one_account_gets_a_few_links_an_hour_from_wherever_they_are_asked_for(client, ada, monkeypatch):
    for number in range(reset_mail.MOST_LINKS + 2):
        answer = client.post(PAGE, {"email": ADDRESS}, REMOTE_ADDR=f"198.51.100.{number}")
        assert answer.status_code == 302  # as always: the answer says nothing of the account
    assert len(mail.outbox) == reset_mail.MOST_LINKS
    monkeypatch.setattr(reset_mail, "WINDOW", timedelta(0))  # an hour later
    client.post(PAGE, {"email": ADDRESS})
    assert len(mail.outbox) == reset_mail.MOST_LINKS + 1


def test_a_mail_server_that_is_away_is_logged_and_breaks_nothing(client, ada, monkeypatch, caplog):
    def refuse(*_):
        raise ConnectionRefusedError

    monkeypatch.setattr(reset_mail, "send_mail", refuse)
    assert client.post(PAGE, {"email": ADDRESS}).status_code == 302
    assert "could not be sent" in caplog.text
    assert ADDRESS not in caplog.text


def test_a_site_without_mail_says_whom_to_ask(client, settings):
    settings.SENDS_MAIL = False
    response = client.get(PAGE)
    assert response.status_code == 404
    assert "Ask an administrator" in response.content.decode()
    assert "Forgot your password" not in client.get("/accounts/login/").content.decode()


def test_one_changes_ones_own_address_with_ones_password(client, ada):
    client.force_login(ada)
    given = {"email": "new@example.org", "password": "wrong"}
    refused = client.post("/account/address/", given)
    assert refused.status_code == 400
    assert "That is not your password" in refused.content.decode()
    assert "new@example.org" in refused.content.decode()
    assert client.post("/account/address/", given | {"password": "the-old-Password-7"}).status_code == 302
    ada.refresh_from_db()
    assert ada.email == "new@example.org"
    assert "new@example.org" in client.get("/account/").content.decode()


def test_the_sign_in_page_leads_there(client):
    assert PAGE in client.get("/accounts/login/").content.decode()
