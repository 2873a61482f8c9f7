"""Tests of setting a password: what is refused, and which sessions end with the old one."""

import pytest
from django.contrib.auth.management.commands import changepassword
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from concur_site.up import prepare
from datasets_app.accounts import brake
from datasets_app.models import ApiToken, AuditEntry
from tests.factories import make_user

pytestmark = pytest.mark.django_db
FRESH = "quite-long-and-new"


@pytest.fixture
def ada():
    return make_user("annotator", "adalovelace")


@pytest.fixture
def client(ada):
    client = Client()
    client.force_login(ada)
    return client


def change(client, new=FRESH, **more):
    sent = {"old_password": "adalovelace", "new_password1": new, "new_password2": new, **more}
    return client.post("/account/password/", sent)


def live_tokens(user):
    return ApiToken.objects.filter(user=user, revoked_at=None).count()


GUESSED = {
    "/account/password/": {"old_password": "{}", "new_password1": FRESH, "new_password2": FRESH},
    "/account/address/": {"password": "{}", "email": "mine@example.org"},
    "/account/second-step/codes/": {"password": "{}"},
    "/account/second-step/off/": {"password": "{}"},
}


@pytest.mark.parametrize("path", GUESSED)
def test_a_session_that_was_taken_finds_no_password_by_guessing(client, ada, settings, path):
    settings.SENDS_MAIL = True
    for guess in [*map(str, range(brake.PAIR_FAILURES)), "adalovelace"]:
        answer = client.post(path, {name: text.replace("{}", guess) for name, text in GUESSED[path].items()})
    assert "Too many failed attempts" in answer.content.decode()
    ada.refresh_from_db()
    assert ada.check_password("adalovelace")
    assert ada.email == ""


def test_the_admins_own_page_for_a_password_leads_to_the_sites(administrator):
    for path in ("/admin/password_change/", "/admin/password_change/done/"):
        assert administrator.post(path, {"old_password": "x"}).url == "/account/password/"


def test_a_password_like_the_name_is_refused(client):
    answer = change(client, "AdaLovelace1")
    assert answer.status_code == 200
    assert "too similar to the username" in answer.content.decode()


def test_a_short_or_common_password_is_refused(client):
    assert "too short" in change(client, "x7!k").content.decode()
    assert "too common" in change(client, "password1").content.decode()


def test_the_admin_refuses_it_for_a_new_account_too(administrator):
    sent = {"username": "grace-hopper", "usable_password": "true", "password1": "grace-hopper1"}
    answer = administrator.post("/admin/auth/user/add/", {**sent, "password2": sent["password1"]})
    assert "too similar to the username" in answer.content.decode()


def test_the_shell_refuses_it_too(ada, monkeypatch):
    monkeypatch.setattr(changepassword.Command, "_get_pass", lambda self, prompt="": "adalovelace1")
    with pytest.raises(CommandError, match="Aborting password change"):
        call_command("changepassword", "adalovelace")


def test_changing_it_signs_other_browsers_out(client, ada):
    other = Client()
    other.force_login(ada)
    assert change(client).url == "/account/"
    assert client.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302


def test_tokens_stay_unless_their_revocation_is_asked_for(client, ada):
    ApiToken.issue(ada, ["read"])
    change(client)
    assert live_tokens(ada) == 1


def test_tokens_are_revoked_with_the_password_where_that_is_asked_for(client, ada):
    others = make_user("reader")
    for user in (ada, ada, others):
        ApiToken.issue(user, ["read"])
    change(client, revoke_tokens="on")
    assert (live_tokens(ada), live_tokens(others)) == (0, 1)
    assert "2 API tokens revoked" in client.get("/account/").content.decode()
    assert AuditEntry.objects.filter(action="token.revoke").count() == 2


def test_an_administrator_who_resets_one_is_asked_and_the_box_is_ticked(administrator, ada):
    page = administrator.get(f"/admin/auth/user/{ada.pk}/password/").content.decode()
    assert 'name="revoke_tokens"' in page
    assert "checked" in page.split('name="revoke_tokens"')[1].split(">")[0]


@pytest.mark.parametrize(("ticked", "left"), [(True, 0), (False, 1)])
def test_a_reset_password_takes_the_tokens_with_it_unless_unticked(administrator, ada, ticked, left):
    ApiToken.issue(ada, ["read"])
    sent = {"usable_password": "true", "password1": FRESH, "password2": FRESH, "set-password": "1"}
    administrator.post(
        f"/admin/auth/user/{ada.pk}/password/", {**sent, **({"revoke_tokens": "on"} if ticked else {})}
    )
    ada.refresh_from_db()
    assert ada.check_password(FRESH)
    assert live_tokens(ada) == left
    entry = AuditEntry.objects.get(action="password.reset")
    assert entry.target_id == str(ada.pk)
    assert entry.actor is not None


@pytest.mark.parametrize(("given", "notes"), [("admin", 3), ("a-password-for-tests", 0)])
def test_a_weak_password_for_the_first_account_is_taken_and_said(monkeypatch, given, notes):
    monkeypatch.setenv("CONCUR_ADMIN_PASSWORD", given)
    lines = []
    assert prepare.make_administrator(lines.append) is None
    assert User.objects.get(username="admin").check_password(given)
    assert len(lines) == notes
