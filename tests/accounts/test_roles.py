"""The permissions of each role in one table: for pages, for the API, for the admin."""

from datetime import timedelta
from itertools import pairwise

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.utils import timezone

from datasets_app.accounts.roles import GRANTS, Role, role_of
from datasets_app.models import ApiToken, LoginFailure
from tests.factories import make_sample, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

# (method, path, lowest role that may use it)
TABLE = [
    ("get", "/", Role.READER),
    ("get", "/account/", Role.READER),
    ("post", "/account/tokens/", Role.READER),
    ("get", "/api/v1/reviews/", Role.READER),
    ("get", "/api/docs/", Role.READER),
    ("get", "/review/", Role.ANNOTATOR),
    ("post", "/review/next/", Role.ANNOTATOR),
    ("get", "/review/{sample}/", Role.ANNOTATOR),
    ("post", "/review/{sample}/", Role.ANNOTATOR),
    ("post", "/review/{sample}/draft/", Role.ANNOTATOR),
    ("post", "/review/{sample}/claim/", Role.ANNOTATOR),
    ("post", "/review/{sample}/skip/", Role.ANNOTATOR),
    ("post", "/api/v1/reviews/", Role.ANNOTATOR),
    ("get", "/admin/", Role.ADMINISTRATOR),
    ("get", "/admin/login/", Role.ADMINISTRATOR),
    ("get", "/admin/datasets_app/sample/", Role.ADMINISTRATOR),
    ("get", "/admin/datasets_app/auditentry/", Role.ADMINISTRATOR),
    ("get", "/admin/auth/user/", Role.ADMINISTRATOR),
    ("get", "/admin/jsi18n/", Role.ADMINISTRATOR),
]
ORDER = list(Role)


def status(method: str, path: str, role: Role) -> int:
    client = Client()
    client.force_login(make_user(role))
    return getattr(client, method)(path.format(sample=make_sample().pk), follow=True).status_code


@pytest.mark.parametrize(("method", "path", "lowest"), TABLE)
def test_the_lowest_role_that_the_table_names_may_and_the_one_below_it_may_not(method, path, lowest):
    assert status(method, path, lowest) != 403
    if below := ORDER[: ORDER.index(lowest)]:
        assert status(method, path, below[-1]) == 403


def test_a_role_may_all_that_the_one_below_it_may():
    assert all(GRANTS[lower] < GRANTS[higher] for lower, higher in pairwise(ORDER))


PUBLIC = {"/api/docs/", "/api/v1/reviews/"}  # the description needs no account; the API answers 401 in JSON


@pytest.mark.parametrize(("method", "path"), [row[:2] for row in TABLE if row[1] not in PUBLIC])
def test_a_stranger_is_sent_to_sign_in(method, path):
    answer = getattr(Client(), method)(path.format(sample=make_sample().pk), follow=True)
    assert answer.redirect_chain[-1][0].startswith("/accounts/login/?next=/")


@pytest.mark.parametrize("role", ORDER)
def test_a_role_is_its_group(role):
    assert role_of(make_user(role)) == role


def test_the_highest_group_counts():
    user = make_user("reader")
    user.groups.add(Group.objects.get(name="curator"))
    assert role_of(user) == Role.CURATOR


def test_an_account_in_no_group_reads():
    user = make_user()
    user.groups.clear()
    assert role_of(user) == Role.READER


def test_a_closed_account_has_no_role_however_high():
    user = make_user("administrator")
    user.is_active = False
    assert role_of(user) is None
    assert not user.has_perm("datasets_app.change_source")


def test_staff_without_the_group_is_no_administrator():
    user = make_user("curator")
    user.is_staff = True
    user.save()
    client = Client()
    client.force_login(user)
    assert client.get("/admin/", follow=True).status_code == 403


def test_who_leaves_the_group_leaves_the_admin():
    user = make_user("administrator")
    client = Client()
    client.force_login(user)
    assert client.get("/admin/").status_code == 200
    user.groups.clear()
    assert client.get("/admin/", follow=True).status_code == 403


def test_an_administrator_lifts_the_brake_on_a_name(administrator):
    failure = LoginFailure.objects.create(name="ada", address="10.0.0.1")
    administrator.post(f"/admin/datasets_app/loginfailure/{failure.pk}/delete/", {"post": "yes"})
    assert not LoginFailure.objects.exists()


def test_an_administrator_revokes_any_token(administrator):
    token, _ = ApiToken.issue(make_user("reader"), ["read"])
    sent = {"action": "revoke", "_selected_action": [token.pk]}
    administrator.post("/admin/datasets_app/apitoken/", sent)
    token.refresh_from_db()
    assert timezone.now() - token.revoked_at < timedelta(minutes=1)
