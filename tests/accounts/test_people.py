"""Tests of the page of people: roles, deactivation, and links that reset a password."""

import re

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client

from concur_site.up import prepare
from datasets_app.accounts import api_tokens, people
from datasets_app.accounts.actor import COMMAND
from datasets_app.models import ApiToken, AuditEntry, Invitation
from tests.factories import make_user

pytestmark = pytest.mark.django_db
NEW = {"new_password1": "longer-and-new", "new_password2": "longer-and-new"}


def signed_in(user):
    client = Client()
    client.force_login(user)
    return client


def actions():
    return list(AuditEntry.objects.order_by("id").values_list("action", flat=True))


def link_in(answer):
    return re.search(r"http://testserver(/account/[^<]+)</code>", answer.content.decode())[1]


def test_the_page_shows_role_state_and_last_sign_in(administrator):
    closed = make_user("curator", "closed")
    people.deactivate(closed, actor=COMMAND)
    text = administrator.get("/people/").content.decode()
    row = text[text.index(">closed</th>") :]
    assert '<option value="curator" selected>' in row
    assert "deactivated" in row
    assert "Reactivate" in row
    assert "never" in row


def test_the_page_needs_the_same_number_of_queries_for_many_people(
    administrator, django_assert_max_num_queries
):
    for _ in range(12):
        make_user("annotator")
    with django_assert_max_num_queries(9):
        administrator.get("/people/")


def test_a_name_is_shown_as_text(administrator):
    User.objects.create(username="<script>alert(1)</script>")
    assert b"<script>alert" not in administrator.get("/people/").content


def test_an_administrator_finds_the_page_from_the_account(administrator):
    assert b'href="/people/"' in administrator.get("/account/").content


def test_a_curator_sees_neither_the_page_nor_its_link(curator):
    assert curator.get("/people/").status_code == 403
    assert b'href="/people/"' not in curator.get("/account/").content


def test_a_role_is_changed_and_audited(administrator):
    user = make_user("reader", "ada")
    assert administrator.post(f"/people/{user.pk}/role/", {"role": "curator"}).url == "/people/"
    assert [group.name for group in user.groups.all()] == ["curator"]
    entry = AuditEntry.objects.get(action="role.change")
    assert entry.detail == {"user": "ada", "was": "reader", "role": "curator"}


def test_an_unknown_role_is_refused_with_the_roles_that_exist(administrator):
    user = make_user("reader")
    answer = administrator.post(f"/people/{user.pk}/role/", {"role": "king"})
    assert answer.status_code == 400
    assert "reader, annotator, curator, administrator" in answer.content.decode()


def test_a_superuser_who_becomes_a_curator_is_no_administrator_any_more(administrator):
    user = User.objects.create_superuser("root")
    administrator.post(f"/people/{user.pk}/role/", {"role": "curator"})
    assert signed_in(user).get("/people/").status_code == 403


@pytest.mark.parametrize("path", ["role", "deactivate"])
def test_the_last_administrator_stays_one(path):
    only = make_user("administrator", "only")
    make_user("curator")
    people.deactivate(make_user("administrator"), actor=COMMAND)  # a closed one does not count
    answer = signed_in(only).post(f"/people/{only.pk}/{path}/", {"role": "reader"})
    assert answer.status_code == 400
    assert "only is the last active administrator" in answer.content.decode()
    assert signed_in(only).get("/people/").status_code == 200


def test_an_administrator_who_gives_the_role_up_is_sent_home(administrator):
    other = make_user("administrator")
    client = signed_in(other)
    assert client.post(f"/people/{other.pk}/role/", {"role": "reader"}).url == "/"


def test_a_deactivated_account_ends_with_its_sessions_and_tokens(administrator):
    user = make_user("annotator")
    client = signed_in(user)
    _, text = api_tokens.make_token(user, [], actor=COMMAND)
    administrator.post(f"/people/{user.pk}/deactivate/")
    assert client.get("/account/").status_code == 302
    assert Client().get("/api/v1/reviews/", headers={"Authorization": f"Bearer {text}"}).status_code == 401
    assert "account.deactivate" in actions()


def test_reactivating_brings_back_neither_sessions_nor_tokens(administrator):
    user = make_user("annotator")
    client = signed_in(user)
    api_tokens.make_token(user, [], actor=COMMAND)
    administrator.post(f"/people/{user.pk}/deactivate/")
    administrator.post(f"/people/{user.pk}/reactivate/")
    assert client.get("/account/").status_code == 302
    assert not ApiToken.objects.filter(revoked_at=None).exists()
    assert signed_in(user).get("/account/").status_code == 200


def test_deactivating_one_account_leaves_the_sessions_of_others(administrator):
    before = Session.objects.count()
    administrator.post(f"/people/{make_user('reader').pk}/deactivate/")
    assert Session.objects.count() == before
    assert administrator.get("/people/").status_code == 200


def test_a_person_who_is_no_administrator_any_more_leaves_no_invitation(administrator):
    inviter = make_user("administrator")
    signed_in(inviter).post("/people/invite/", {"role": "administrator"})
    administrator.post(f"/people/{inviter.pk}/role/", {"role": "reader"})
    assert not Invitation.objects.open().exists()


def test_a_reset_link_sets_a_password_once_and_ends_the_sessions(administrator):
    user = make_user("annotator", "grace")
    client = signed_in(user)
    path = link_in(administrator.post(f"/people/{user.pk}/reset-link/"))
    visitor = Client()
    form = visitor.get(path, follow=True)
    assert form.redirect_chain[-1][0].endswith("/set-password/")
    assert visitor.post(form.redirect_chain[-1][0], NEW).url == "/accounts/login/"
    user.refresh_from_db()
    assert user.check_password(NEW["new_password1"])
    assert client.get("/account/").status_code == 302
    assert b"This link was used" in Client().get(path, follow=True).content
    assert actions() == ["password.reset-link", "password.reset-by-link"]


def test_a_weak_password_is_refused_on_the_reset_page(administrator):
    user = make_user("annotator", "grace")
    visitor = Client()
    path = visitor.get(link_in(administrator.post(f"/people/{user.pk}/reset-link/"))).url
    answer = visitor.post(path, {"new_password1": "grace", "new_password2": "grace"})
    assert b"too similar" in answer.content
    user.refresh_from_db()
    assert user.check_password("grace")


def test_a_reset_link_of_an_account_that_was_deactivated_later_does_nothing(administrator):
    user = make_user("annotator")
    path = link_in(administrator.post(f"/people/{user.pk}/reset-link/"))
    administrator.post(f"/people/{user.pk}/deactivate/")
    assert b"This link was used" in Client().get(path, follow=True).content
    assert Client().get(path, follow=True).status_code == 404
    assert administrator.post(f"/people/{user.pk}/reset-link/").status_code == 400


def test_a_reset_link_is_neither_stored_nor_cached(administrator):
    answer = administrator.post(f"/people/{make_user('reader').pk}/reset-link/")
    assert "no-store" in answer["Cache-Control"]
    assert link_in(answer) not in str(list(AuditEntry.objects.values()))


def test_the_django_admin_changes_no_role_and_deletes_no_account(administrator):
    user = make_user("annotator", "ada")
    address = f"/admin/auth/user/{user.pk}/"
    administrator.post(f"{address}change/", {"username": "ada", "email": "a@example.org", "groups": []})
    user.refresh_from_db()
    assert user.email == "a@example.org"
    assert user.is_active
    assert [group.name for group in user.groups.all()] == ["annotator"]
    assert administrator.post(f"{address}delete/", {"post": "yes"}).status_code == 403


def test_a_start_makes_no_second_first_account_when_the_superuser_gave_the_role_up():
    make_user("administrator")
    assert prepare.make_administrator(print) is None
    assert not User.objects.filter(is_superuser=True).exists()
