"""Tests of invitations: a link makes one account, of the role that the inviter chose."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from datasets_app.accounts import invitations
from datasets_app.accounts.actor import COMMAND
from datasets_app.models import AuditEntry, Invitation

pytestmark = pytest.mark.django_db
ADA = {"username": "ada", "password1": "an-engine-of-1843", "password2": "an-engine-of-1843"}


@pytest.fixture
def path():
    _, text = invitations.invite("curator", "Ada", actor=COMMAND)
    return invitations.path(text)


def test_an_administrator_gets_a_link_that_is_shown_once_and_stored_as_a_hash(administrator):
    answer = administrator.post("/people/invite/", {"role": "annotator", "note": "Ada"})
    assert answer.status_code == 201
    assert "no-store" in answer["Cache-Control"]
    text = re.search(r"/account/join/([\w-]{43})/", answer.content.decode())[1]
    assert text not in administrator.get("/people/").content.decode()
    assert text not in str([*Invitation.objects.values(), *AuditEntry.objects.values()])


def test_the_invited_person_chooses_a_name_and_is_signed_in_with_the_role(path):
    client = Client()
    page = client.get(path).content.decode()
    assert "You are invited as curator" in page
    assert "at least 8 characters" in page
    for described in re.findall(r'aria-describedby="([^"]+)"', page):
        assert f'id="{described}"' in page
    assert client.post(path, ADA).url == "/"
    assert [group.name for group in User.objects.get(username="ada").groups.all()] == ["curator"]
    assert client.get("/account/").status_code == 200
    assert AuditEntry.objects.get(action="invitation.use").actor_name == "ada"


def test_a_link_makes_one_account(path):
    Client().post(path, ADA)
    answer = Client().post(path, {**ADA, "username": "eve"})
    assert answer.status_code == 404
    assert b"This invitation was used" in answer.content
    assert not User.objects.filter(username="eve").exists()


def test_of_two_people_with_a_valid_form_the_second_one_is_refused(path):
    text = path.split("/")[-2]
    first, second = (invitations.JoinForm({**ADA, "username": name}) for name in ("ada", "eve"))
    assert first.is_valid()
    assert second.is_valid()
    invitations.join(text, first)
    with pytest.raises(invitations.InvitationError, match="was used"):
        invitations.join(text, second)


def test_a_name_that_was_taken_meanwhile_leaves_the_link_valid(path):
    form = invitations.JoinForm(ADA)
    assert form.is_valid()
    User.objects.create(username="ada")
    with pytest.raises(invitations.InvitationError, match="choose another"):
        invitations.join(path.split("/")[-2], form)
    assert Client().post(path, {**ADA, "username": "ada-2"}).status_code == 302


def test_a_link_ends_after_a_week(path):
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert Client().get(path).status_code == 404


def test_a_revoked_link_does_not_work_and_a_second_time_is_answered(administrator, path):
    address = f"/people/invitations/{Invitation.objects.get().pk}/revoke/"
    assert "no longer works" in administrator.post(address, follow=True).content.decode()
    assert Client().post(path, ADA).status_code == 404
    assert "already used" in administrator.post(address, follow=True).content.decode()
    assert AuditEntry.objects.filter(action="invitation.revoke").count() == 1


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"password1": "ada-ada", "password2": "ada-ada"}, "too short"),
        ({"password2": "another-of-1843"}, "match"),
        ({"username": "command"}, "reserved"),
        ({"username": "a b\x07"}, "valid username"),
    ],
)
def test_a_bad_name_or_password_is_refused_with_a_reason_and_the_link_stays_valid(path, sent, sentence):
    answer = Client().post(path, {**ADA, **sent})
    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    assert Client().post(path, ADA).status_code == 302


def test_somebody_who_is_signed_in_does_not_use_the_link_up(annotator, path):
    assert "Sign out first" in annotator.get(path).content.decode()
    assert annotator.post(path, ADA).status_code == 400
    assert Client().post(path, ADA).status_code == 302


def test_an_unknown_role_or_too_long_a_note_is_refused_and_kept_in_the_form(administrator):
    assert administrator.post("/people/invite/", {"role": "king"}).status_code == 400
    answer = administrator.post("/people/invite/", {"role": "reader", "note": "x" * 81})
    assert answer.status_code == 400
    assert "x" * 81 in answer.content.decode()
    assert not Invitation.objects.exists()
