"""Tests of the URLs that a webhook may have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.webhooks.endpoint import DEFAULT_PORTS, FIRST_FREE_PORT, Endpoint, parse_url
from datasets_app.webhooks.errors import WebhookError


@pytest.mark.parametrize(
    ("url", "port", "netloc", "target"),
    [
        ("https://hooks.example.org", 443, "hooks.example.org", "/"),
        ("https://Hooks.example.org:8443/a/b?c=d", 8443, "Hooks.example.org:8443", "/a/b?c=d"),
        ("https://hooks.example.org:80/", 80, "hooks.example.org:80", "/"),
        ("https://93.184.215.14/x", 443, "93.184.215.14", "/x"),
        ("https://[2606:4700::1]:1024/x", 1024, "[2606:4700::1]:1024", "/x"),
    ],
)
def test_a_url_is_taken_apart(url, port, netloc, target):
    endpoint = parse_url(url)
    assert (endpoint.port, endpoint.netloc, endpoint.target) == (port, netloc, target)
    assert endpoint.host == endpoint.host.lower()


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "not a URL"),
        ("hooks.example.org", "must begin with https"),
        ("ftp://hooks.example.org/", "must begin with https"),
        ("file:///etc/passwd", "must begin with https"),
        ("http://hooks.example.net/", "CONCUR_WEBHOOK_HTTP_HOSTS names hooks.example.net"),
        ("https://", "not a name"),
        ("https:///path", "not a name"),
        ("https://user:secret@hooks.example.org/", "user or password"),
        ("https://user@hooks.example.org/", "user or password"),
        ("https://hooks.example.org/#part", "contains a #"),
        ("https://hooks.example.org:22/", "Port 22 is not allowed"),
        ("https://hooks.example.org:0/", "Port 0 is not allowed"),
        ("https://hooks.example.org:99999/", "cannot be read"),
        ("https://hooks.example.org:/", "cannot be read"),
        ("https://[::1/", "cannot be read"),
        ("https://hooks.example.org/a b", "not a URL"),
        ("https://hooks.example.org/a\r\nX-Evil: 1", "not a URL"),
        ("https://hooks.example.org\\@127.0.0.1/", "not a URL"),
        ("https://bücher.example/", "not a URL"),
        ("https://%6c%6fcalhost/", "not a name"),
        ("https://127.0.0.1/", "not a public address"),
        ("https://[::1]/", "not a public address"),
        ("https://[fe80::1%25eth0]/", "not a public address"),
        ("https://hooks.example.org/" + "a" * 500, "at most 500"),
    ],
)
def test_another_url_is_refused_with_a_sentence(url, why):
    with pytest.raises(WebhookError, match=why) as refusal:
        parse_url(url)
    assert refusal.value.field == "url"
    assert "secret" not in str(refusal.value)


def test_http_is_for_hosts_that_the_setting_names(settings):
    settings.WEBHOOK_HTTP_HOSTS = ["ci.internal"]
    assert parse_url("http://ci.internal/").port == 80
    with pytest.raises(WebhookError, match="must begin with https"):
        parse_url("http://ci.internal.example.org/")


PARTS = st.sampled_from(
    ["https://", "http://", "@", ":", "/", "[", "]", "%", "#", "?", "\\", "a.b", "443", "::1", "."]
)


@given(st.one_of(st.text(), st.lists(PARTS, max_size=9).map("".join), st.text().map("https://".__add__)))
def test_any_text_is_an_endpoint_or_refused(text):
    try:
        endpoint = parse_url(text)
    except WebhookError:
        return
    assert isinstance(endpoint, Endpoint)
    assert endpoint.is_tls
    assert endpoint.port in DEFAULT_PORTS.values() or FIRST_FREE_PORT <= endpoint.port <= 65535
    assert endpoint.target.startswith("/")
    assert not set("@/\\") & set(endpoint.netloc)
    assert not set("#\\ \r\n") & set(endpoint.netloc + endpoint.target)
