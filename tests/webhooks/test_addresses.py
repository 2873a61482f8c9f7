"""Tests of which addresses a webhook may reach: public ones alone, however an address is written or wrapped."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.webhooks.addresses import check_address, is_public, resolve
from datasets_app.webhooks.errors import WebhookError

REFUSED = {
    "unspecified": ["0.0.0.0", "0.1.2.3", "::"],
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1"],
    "loopback": ["127.0.0.1", "127.255.255.254", "::1"],
    "link-local": ["169.254.169.254", "fe80::1", "fe80::1%2", "febf::1"],
    "site-local": ["fec0::1"],
    "shared by a provider's customers": ["100.64.0.1", "100.127.255.255"],
    "multicast": ["224.0.0.1", "239.255.255.250", "ff02::1", "ff0e::1"],
    "reserved": ["240.0.0.1", "255.255.255.255", "192.0.0.8", "198.18.0.1", "4000::1"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    "relay of 6to4": ["192.88.99.1"],
    "IPv4-mapped": ["::ffff:127.0.0.1", "::ffff:8.8.8.8"],
    "IPv4-compatible": ["::127.0.0.1", "::8.8.8.8"],
    "6to4": ["2002:7f00:1::", "2002:808:808::1"],
    "NAT64": ["64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::a00:1"],
    "Teredo": ["2001:0:1::80ff:fffe"],
    "discarded": ["100::1"],
}
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.215.14",
    "172.32.0.1",
    "223.255.255.1",
    "2606:4700::1",
    "2a00:1450::1",
]


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind in REFUSED for text in REFUSED[kind]])
def test_an_address_that_is_not_public_is_refused(kind, text):
    assert not is_public(ip_address(text)), kind
    with pytest.raises(WebhookError, match="not a public address"):
        check_address("hooks.example.org", text, [])


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address_is_reached(text):
    check_address("hooks.example.org", text, [])


def in_network(text):
    network = ip_network(text)
    kind = IPv4Address if network.version == 4 else IPv6Address
    numbers = st.integers(int(network.network_address), int(network.broadcast_address))
    return numbers.map(kind)


SPECIAL = [
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
    *("192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"),
    *("203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "::/96", "::ffff:0:0/96", "64:ff9b::/96"),
    *("64:ff9b:1::/48", "100::/64", "2001::/32", "2001:db8::/32", "2002::/16", "fc00::/7", "fe80::/10"),
    "ff00::/8",
]


@given(st.one_of([in_network(text) for text in SPECIAL]))
def test_no_address_of_a_special_network_is_public(address):
    assert not is_public(address)


@given(st.integers(0, 2**32 - 1).map(IPv4Address), st.integers(0, 2**32 - 1))
def test_no_ipv6_address_that_contains_an_ipv4_address_is_public(inner, rest):
    number = int(inner)
    for wrapped in (
        number,
        0xFFFF << 32 | number,
        0x64FF9B << 96 | number,
        0x2002 << 112 | number << 80 | rest,
        0x20010000 << 96 | rest << 32 | number,
    ):
        assert not is_public(IPv6Address(wrapped))


def test_the_sites_owner_allows_a_network(resolver):
    resolver["ci.internal"] = [["10.20.3.4"], ["10.20.3.4"]]
    assert resolve("ci.internal", 443, [ip_network("10.20.0.0/16")]) == ["10.20.3.4"]
    with pytest.raises(WebhookError, match=r"ci\.internal is at 10\.20\.3\.4, which is not a public address"):
        resolve("ci.internal", 443, [ip_network("10.30.0.0/16")])


def test_an_allowed_network_does_not_allow_what_wraps_its_addresses():
    with pytest.raises(WebhookError):
        check_address("ci.internal", "::ffff:10.20.3.4", [ip_network("10.20.0.0/16")])


def test_a_name_with_one_private_address_among_public_ones_is_refused(resolver):
    resolver["hooks.example.org"] = [["93.184.215.14", "127.0.0.1"]]
    with pytest.raises(WebhookError, match=r"127\.0\.0\.1"):
        resolve("hooks.example.org", 443, [])


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "017700000001", "127.1", "0"])
def test_other_spellings_of_loopback_are_refused_by_the_address_that_they_mean(host):
    with pytest.raises(WebhookError, match=r"not a public address|has no address"):
        resolve(host, 443, [])


def test_a_name_without_an_address_says_so():
    with pytest.raises(WebhookError, match=r"nowhere\.invalid has no address"):
        resolve("nowhere.invalid", 443, [])
