"""Tests of the account page: tokens are created, shown once, revoked."""

import re

import pytest

from datasets_app.accounts import api_tokens
from datasets_app.accounts.actor import COMMAND
from datasets_app.models import ApiToken, AuditEntry
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_a_token_is_shown_once_and_works(annotator, client):
    made = annotator.post("/account/tokens/", {"scope": ["annotate"], "label": "nightly"})
    assert made.status_code == 201
    assert "no-store" in made["Cache-Control"]
    text = re.search(r"cw_[\w-]{43}", made.content.decode())[0]
    assert client.get("/api/v1/reviews/", headers={"Authorization": f"Bearer {text}"}).status_code == 200
    later = annotator.get("/account/").content.decode()
    assert text not in later
    assert "nightly" in later


def test_only_ones_own_scopes_are_offered(annotator):
    text = annotator.get("/account/").content.decode()
    assert 'value="annotate"' in text
    assert 'value="curate"' not in text


def test_a_scope_beyond_ones_role_is_refused_with_a_sentence(annotator):
    answer = annotator.post("/account/tokens/", {"scope": ["admin"], "label": "sly"})
    assert answer.status_code == 400
    assert "may not" in answer.content.decode()
    assert not ApiToken.objects.exists()


def test_a_token_is_revoked_and_stays_in_the_list(annotator):
    annotator.post("/account/tokens/", {})
    token = ApiToken.objects.get()
    answer = annotator.post(f"/account/tokens/{token.pk}/revoke/", follow=True)
    assert "revoked" in answer.content.decode()
    token.refresh_from_db()
    assert token.revoked_at
    assert AuditEntry.objects.filter(action="token.revoke").count() == 1


def test_a_token_expires_after_the_chosen_days_and_is_listed_so(annotator):
    assert '<option value="90" selected>' in annotator.get("/account/").content.decode()
    annotator.post("/account/tokens/", {"days": "30"})
    token = ApiToken.objects.get()
    assert f"{token.expires_at:%Y-%m-%d}" in annotator.get("/account/").content.decode()
    ApiToken.objects.update(expires_at=token.created_at)
    later = annotator.get("/account/").content.decode()
    assert f"expired {token.created_at:%Y-%m-%d}" in later
    assert f"/account/tokens/{token.pk}/revoke/" not in later


def test_a_lifetime_that_is_none_is_refused_with_a_sentence(annotator):
    answer = annotator.post("/account/tokens/", {"days": "soon"})
    assert answer.status_code == 400
    assert "lives for 1 to 3650 days" in answer.content.decode()
    assert not ApiToken.objects.exists()


def test_nobody_revokes_the_token_of_another(annotator):
    token, _ = api_tokens.make_token(make_user("reader"), [], actor=COMMAND)
    assert annotator.post(f"/account/tokens/{token.pk}/revoke/").status_code == 404
    token.refresh_from_db()
    assert token.revoked_at is None


def test_a_password_is_changed_and_that_is_in_the_log(annotator):
    name = re.search(r"<h1>([^<]+)</h1>", annotator.get("/account/").content.decode())[1]
    sent = {"old_password": name, "new_password1": "longer-and-new", "new_password2": "longer-and-new"}
    assert annotator.post("/account/password/", sent).url == "/account/"
    assert annotator.get("/account/").status_code == 200
    assert AuditEntry.objects.filter(action="password.change").count() == 1
