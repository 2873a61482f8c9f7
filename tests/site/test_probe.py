"""Tests of a run's own health check, with every combination of host names and TLS settings."""

import pytest
from django.core.handlers.wsgi import WSGIHandler

from concur_site.health import probe
from tests.site.server.running import serving

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Wait a minute for an answer: a busy machine may need longer than the three seconds of a probe."""
    monkeypatch.setattr(probe, "TIMEOUT_SECONDS", 60.0)


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize(
    "hosts", [["127.0.0.1", "localhost"], ["workbench.example.org"], [".example.org"], ["*"]]
)
def test_a_healthy_site_is_found_healthy(settings, hosts, tls):
    settings.ALLOWED_HOSTS = hosts
    settings.BEHIND_TLS = settings.SECURE_SSL_REDIRECT = tls
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if tls else None
    with serving(WSGIHandler()) as site:
        assert probe.ask(site.port)


def test_a_site_that_fails_is_not_healthy():
    def broken(environ, start_response):
        start_response("500 Internal Server Error", [("Content-Length", "0")])
        return []

    with serving(broken) as site:
        assert not probe.ask(site.port)
    assert not probe.ask(site.port), "nor is one that is gone"
