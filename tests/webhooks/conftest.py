import socket

import pytest

from tests.webhooks.receiver import allow_loopback, receiving


@pytest.fixture
def loopback(settings):
    allow_loopback(settings)


@pytest.fixture
def receiver(loopback):
    with receiving() as running:
        yield running


@pytest.fixture
def resolver(monkeypatch):
    """Stub the resolver, and nothing else: each name in the dictionary has its answers, one per question."""
    answers = {}
    real = socket.getaddrinfo

    def getaddrinfo(host, port, *arguments, **options):
        if host not in answers:
            return real(host, port, *arguments, **options)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in answers[host].pop(0)]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return answers
