"""Tests of a request's client address: the connection's, unless one of our proxies is in front."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import RequestFactory

from concur_site import env
from datasets_app.accounts.addresses import brake_address, client_address


def request(remote, forwarded=None):
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return RequestFactory().get("/", REMOTE_ADDR=remote, headers=headers)


@pytest.fixture
def proxies(settings, monkeypatch):
    monkeypatch.setenv("CONCUR_TRUSTED_PROXIES", "10.0.0.2, 192.168.7.0/24, fd00::/8")
    settings.TRUSTED_PROXIES = env.networks("CONCUR_TRUSTED_PROXIES")


def test_without_a_trusted_proxy_the_header_is_not_believed(settings):
    settings.TRUSTED_PROXIES = []
    assert client_address(request("203.0.113.9", "198.51.100.1")) == "203.0.113.9"


@pytest.mark.parametrize(
    ("remote", "forwarded", "expected"),
    [
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),  # not one of our proxies
        ("10.0.0.2", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.2", "1.1.1.1, 198.51.100.1", "198.51.100.1"),  # the client wrote the first one itself
        ("10.0.0.2", "1.1.1.1, 198.51.100.1, 192.168.7.4", "198.51.100.1"),  # a chain of our proxies
        ("10.0.0.2", "1.1.1.1, nonsense", "10.0.0.2"),
        ("10.0.0.2", "", "10.0.0.2"),
        ("10.0.0.2", None, "10.0.0.2"),
        ("10.0.0.2", "192.168.7.4, 192.168.7.5", "192.168.7.4"),  # an inner client
        ("10.0.0.2", "198.51.100.1:51234", "198.51.100.1"),
        ("fd00::1", "[2001:db8::5]:443", "2001:db8::5"),
        ("::ffff:10.0.0.2", "198.51.100.1", "198.51.100.1"),
        ("", "198.51.100.1", ""),  # a Unix socket
    ],
)
def test_behind_a_trusted_proxy_the_right_most_other_address_counts(proxies, remote, forwarded, expected):
    assert client_address(request(remote, forwarded)) == expected


def test_brakes_count_an_ipv6_network_as_one(settings):
    settings.TRUSTED_PROXIES = []
    assert brake_address(request("2001:db8:1:2:3:4:5:6")) == "2001:db8:1:2::/64"
    assert brake_address(request("203.0.113.9")) == "203.0.113.9"


@pytest.mark.parametrize("value", ["proxy", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.1 10.0.0.2"])
def test_what_is_no_network_is_refused_by_name(monkeypatch, value):
    monkeypatch.setenv("CONCUR_TRUSTED_PROXIES", value)
    with pytest.raises(ImproperlyConfigured, match="CONCUR_TRUSTED_PROXIES"):
        env.networks("CONCUR_TRUSTED_PROXIES")
