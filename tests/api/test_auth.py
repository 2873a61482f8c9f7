"""Tests that a token grants what its scopes and its owner's role both allow, and nothing once revoked."""

import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from datasets_app.accounts import api_tokens
from datasets_app.accounts.actor import COMMAND
from datasets_app.models import ApiToken, AuditEntry
from tests.factories import make_sample, make_user

pytestmark = pytest.mark.django_db
REVIEWS = "/api/v1/reviews/"


def ask(text, method="get", data=None):
    return getattr(Client(), method)(
        REVIEWS, data, content_type="application/json", headers={"Authorization": f"Bearer {text}"}
    )


def token(role="annotator", scopes=("read",)):
    return api_tokens.make_token(make_user(role), scopes, actor=COMMAND)


def new_review():
    return {"sample": str(make_sample().pk), "verdict": "accept"}


def test_a_token_opens_the_api():
    assert ask(token()[1]).status_code == 200


@pytest.mark.parametrize("text", ["", "cw_nonsense", "cw_" + "x" * 5000, "cw_\x00"])
def test_a_wrong_token_is_refused_with_a_sentence(text):
    answer = ask(text)
    assert answer.status_code == 401
    assert "manage.py token create" in answer.json()["detail"]
    assert answer["WWW-Authenticate"] == "Bearer"


def test_without_a_token_the_api_answers_in_json_and_sends_nobody_to_a_page():
    answer = Client().get(REVIEWS)
    assert answer.status_code == 401
    assert "detail" in answer.json()


def test_a_revoked_token_opens_nothing():
    row, text = token()
    api_tokens.revoke_token(row, actor=COMMAND)
    assert ask(text).status_code == 401


def test_an_expired_token_opens_nothing_and_says_since_when():
    row, text = api_tokens.make_token(make_user("annotator"), [], days="30", actor=COMMAND)
    assert ask(text).status_code == 200
    ended = timezone.now() - timedelta(days=1)
    ApiToken.objects.filter(pk=row.pk).update(expires_at=ended)
    answer = ask(text)
    assert answer.status_code == 401
    assert f"expired on {ended:%Y-%m-%d}" in answer.json()["detail"]


def test_an_expired_token_of_a_closed_account_is_only_unknown():
    row, text = api_tokens.make_token(make_user("annotator"), [], days="30", actor=COMMAND)
    ApiToken.objects.filter(pk=row.pk).update(expires_at=timezone.now() - timedelta(days=1))
    row.user.is_active = False
    row.user.save()
    assert "unknown or revoked" in ask(text).json()["detail"]


def test_a_token_of_a_closed_account_opens_nothing():
    row, text = token()
    row.user.is_active = False
    row.user.save()
    assert ask(text).status_code == 401


def test_a_token_for_reading_does_not_write():
    answer = ask(token(scopes=["read"])[1], "post", new_review())
    assert answer.status_code == 403
    says = "This needs the scope annotate. The token has: read. Create one with it on the account page"
    assert answer.json()["detail"].startswith(says)


def test_without_a_token_the_answer_says_how_one_is_sent_and_what_needs_none():
    for scheme in ({}, {"headers": {"Authorization": "Token cw_x"}}):
        answer = Client().get("/api/v1/samples/", **scheme)
        assert answer.status_code == 401
        assert "Authorization: Bearer TOKEN. Create one on the account page" in answer.json()["detail"]
        assert "/api/v1/releases/" in answer.json()["detail"]


def test_a_token_does_not_outlive_its_owners_role():
    row, text = token("annotator", ["annotate"])
    assert ask(text, "post", new_review()).status_code == 201
    row.user.groups.clear()
    assert ask(text, "post", new_review()).status_code == 403


def test_the_last_use_is_noted_and_not_on_every_request():
    _, text = token()
    ask(text)
    noted = ApiToken.objects.get().last_used_at
    assert timezone.now() - noted < timedelta(seconds=30)
    ask(text)
    assert ApiToken.objects.get().last_used_at == noted


def test_only_the_hash_of_a_token_is_stored():
    row, text = token()
    stored = " ".join(str(value) for value in ApiToken.objects.values().get(pk=row.pk).values())
    assert text not in stored
    assert text not in str(list(AuditEntry.objects.values()))


def test_a_session_may_read_and_needs_a_csrf_token_to_write(annotator):
    assert annotator.get(REVIEWS).status_code == 200
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = annotator.cookies
    assert strict.post(REVIEWS, new_review(), content_type="application/json").status_code == 403


@pytest.mark.parametrize(
    ("role", "scopes", "stored"),
    [
        ("reader", [], ["read"]),
        ("annotator", ["annotate"], ["read", "annotate"]),
        ("curator", ["curate"], ["read", "curate"]),
        ("administrator", ["admin"], ["read", "metrics", "annotate", "curate", "admin"]),
    ],
)
def test_read_is_always_there_and_admin_is_all(role, scopes, stored):
    assert token(role, scopes)[0].scopes == stored


@pytest.mark.parametrize(
    ("role", "scope"), [("reader", "annotate"), ("annotator", "curate"), ("curator", "admin")]
)
def test_a_scope_above_ones_role_is_refused_with_a_sentence(role, scope):
    with pytest.raises(api_tokens.ScopeError, match=f"is an? {role}, who may not .*{scope}"):
        token(role, [scope])


def test_an_unknown_scope_is_refused_with_the_known_ones():
    with pytest.raises(
        api_tokens.ScopeError, match="no scope root; these are: read, metrics, annotate, curate, admin"
    ):
        token("administrator", ["root"])


def run(*words):
    out = io.StringIO()
    call_command("token", *words, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_the_command_prints_a_working_token_as_its_last_line():
    make_user("curator", "cora")
    text = run("create", "cora", "--scope", "read,curate").splitlines()[-1]
    assert ask(text).status_code == 200
    assert ApiToken.objects.get().scopes == ["read", "curate"]
    assert AuditEntry.objects.get(action="token.make").actor_name == "command"


def test_the_command_lists_tokens_without_their_text():
    make_user("reader", "rita")
    text = run("create", "rita", "--label", "nightly").strip()
    listed = run("list")
    assert text not in listed
    assert text[:8] in listed
    assert "nightly" in listed


def test_the_command_makes_a_token_that_expires_and_lists_it_as_expired():
    make_user("reader", "rita")
    run("create", "rita", "--days", "7")
    left = ApiToken.objects.get().expires_at - timezone.now()
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)
    ApiToken.objects.update(expires_at=timezone.now())
    assert "expired" in run("list")


@pytest.mark.parametrize(
    "name", [lambda text: text, lambda text: text[:8], lambda text: str(ApiToken.objects.get().pk)]
)
def test_the_command_revokes_by_token_start_or_number(name):
    make_user("reader", "rita")
    text = run("create", "rita").strip()
    run("revoke", name(text))
    assert ask(text).status_code == 401


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["create", "nobody"], "no account 'nobody'"),
        (["create", "rita", "--scope", "curate"], "a reader, who may not curate"),
        (["create", "rita", "--days", "0"], "lives for 1 to 3650 days, not '0'"),
        (["create", "rita", "--days", "9999"], "lives for 1 to 3650 days"),
        (["create", "rita", "--days", "0003650000"], "lives for 1 to 3650 days"),
        (["create", "rita", "--days", "\u0663"], "lives for 1 to 3650 days"),
        (["revoke", "cw_gone"], "0 tokens match"),
    ],
)
def test_the_command_refuses_with_a_sentence(words, sentence):
    make_user("reader", "rita")
    with pytest.raises(CommandError, match=sentence):
        run(*words)
