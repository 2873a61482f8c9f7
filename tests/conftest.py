"""What all tests share: a data folder of their own, plain static files, and the named cast."""

import os
import tempfile

os.environ.setdefault("CONCUR_DATA_DIR", tempfile.mkdtemp(prefix="cw-test-"))

import pytest
from django.test import Client

from tests import factories
from tests.redis_server import running_redis


@pytest.fixture(autouse=True)
def plain_static_files(settings):
    """Tests need no collected and hashed files."""
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


def signed_in(role: str) -> Client:
    client = Client()
    client.force_login(factories.make_user(role))
    return client


@pytest.fixture
def reader(db) -> Client:
    return signed_in("reader")


@pytest.fixture
def annotator(db) -> Client:
    return signed_in("annotator")


@pytest.fixture
def curator(db) -> Client:
    return signed_in("curator")


@pytest.fixture
def administrator(db) -> Client:
    return signed_in("administrator")


@pytest.fixture(scope="session")
def redis_url():
    with running_redis() as url:
        yield url
