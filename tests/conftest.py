"""What all tests share: a data folder of their own, plain static files, and the named cast."""

import os
import tempfile

os.environ.setdefault("CONCUR_DATA_DIR", tempfile.mkdtemp(prefix="cw-test-"))

from pathlib import Path

import pytest
from django.test import Client

from tests import factories
from tests.redis_server import running_redis


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix):
    """SQLite in a file, as a site has it: one in memory locks whole tables between threads."""
    from django.db import connection

    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(
            Path(os.environ["CONCUR_DATA_DIR"]) / f"test{os.environ.get('PYTEST_XDIST_WORKER', '')}.sqlite3"
        )


@pytest.fixture(autouse=True)
def quick_passwords(settings):
    """A real site hashes slowly on purpose; a test that signs in a dozen people need not."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def plain_static_files(settings):
    """Tests need no collected and hashed files, only the folder that WhiteNoise looks for."""
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
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
