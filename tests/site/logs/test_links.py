"""Tests that the log holds no link that opens something: Django logs the path of each request that it refuses."""

import io
import logging

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.module_loading import import_string

from datasets_app.accounts import invitations, people
from datasets_app.accounts.actor import COMMAND
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def log(settings):
    """Return what the site's own handler writes, with the filters and the form that its settings name."""
    stream, config = io.StringIO(), settings.LOGGING
    handler = logging.StreamHandler(stream)
    form = config["formatters"][config["handlers"]["stderr"]["formatter"]]
    handler.setFormatter(import_string(form["()"])("{message}", style="{"))
    for name in config["handlers"]["stderr"]["filters"]:
        handler.addFilter(import_string(config["filters"][name]["()"])())
    logging.getLogger("django").addHandler(handler)
    yield stream
    logging.getLogger("django").removeHandler(handler)


@pytest.fixture
def links():
    """Return the paths of links that are valid, with their secret parts."""
    invited = invitations.path(invitations.invite("reader", actor=COMMAND)[1])
    reset = people.reset_path(User.objects.get(pk=make_user("reader").pk))
    return {path: path.strip("/").rpartition("/")[2] for path in (invited, reset)}


def test_a_refused_form_puts_no_link_that_is_still_valid_into_the_log(log, links):
    for path in links:
        Client().post(path, {"username": "x"})
        Client(enforce_csrf_checks=True).post(path, {})
        Client().delete(path)
        Client().get(f"{path}more/")
    assert log.getvalue().count("/account/join/[hidden]") >= 3
    assert log.getvalue().count("/[hidden]") >= 6
    assert not [secret for secret in links.values() if secret in log.getvalue()]


def test_other_messages_are_written_as_they_are(log):
    logging.getLogger("django.request").warning("%s took %d s", "/account/reset-of-nothing/", 3)
    assert log.getvalue() == "/account/reset-of-nothing/ took 3 s\n"
