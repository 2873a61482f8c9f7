"""Tests of a server's threads that keep their SQLite connection between requests."""

import pytest
from django.core.signals import request_finished
from django.db import connection, connections
from django.db.backends.signals import connection_created

from concur_site.sqlite_write_lock.kept_connections import CACHE_KIB, keep_connections, limit_cache


@pytest.fixture
def served(monkeypatch):
    """Serve in this thread with connections that are kept, and undo it afterwards."""
    config = connections.settings["default"]
    monkeypatch.setitem(config, "CONN_MAX_AGE", config["CONN_MAX_AGE"])
    keep_connections()
    yield config
    connection_created.disconnect(limit_cache, dispatch_uid="kept connections")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL keeps its connections by the settings")
@pytest.mark.django_db(transaction=True)
def test_a_connection_outlives_its_request_with_a_small_cache(served):
    connection.close()
    with connection.cursor() as cursor:
        (cache,) = cursor.execute("PRAGMA cache_size").fetchone()
    first = connection.connection
    request_finished.send(sender=None)
    assert (cache, connection.connection) == (-CACHE_KIB, first)
    assert first is not None
