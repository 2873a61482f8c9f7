"""Tests of the sessions' store: Django's, with a statement of its own for reading."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore as StoreOfDjango
from django.contrib.sessions.models import Session
from django.utils import timezone

from datasets_app.accounts.sessions import SessionStore

pytestmark = pytest.mark.django_db


def key_of(client):
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def test_a_session_is_read_in_one_query_as_django_reads_it(reader, django_assert_num_queries):
    with django_assert_num_queries(1):
        content = SessionStore(key_of(reader)).load()
    assert content == StoreOfDjango(key_of(reader)).load()
    assert "_auth_user_id" in content


@pytest.mark.parametrize("ago", [timedelta(seconds=1), timedelta(days=400)])
def test_an_expired_session_is_nobodys(reader, ago):
    Session.objects.update(expire_date=timezone.now() - ago)
    assert reader.get("/browse/").status_code == 302
    assert SessionStore(key_of(reader)).load() == {}


def test_an_unknown_key_is_nobodys_and_is_not_used_for_a_new_session(db):
    store = SessionStore("never-made-by-this-site")
    assert store.load() == {}
    assert store.session_key is None
