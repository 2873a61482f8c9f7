"""Which IP addresses a webhook may reach: public ones, and networks that the site's owner allows.

Names are resolved here, once per attempt, and the connection is made to an address that was checked: a name that
changes its address between a check and a connection gains nothing.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from datasets_app.webhooks.errors import WebhookError

Network = IPv4Network | IPv6Network
ALLOW = "CONCUR_WEBHOOK_NETWORKS can allow a network of your own."

# Python's own lists grow with its versions; these are refused by every one.
NOT_PUBLIC_V4 = [
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "100.64.0.0/10",
        "192.0.0.0/24",
        "192.88.99.0/24",  # relays of 6to4
        "224.0.0.0/3",  # multicast, reserved, broadcast
    )
]
# Outside of it are loopback, link-local and unique local addresses, multicast, and those that contain an IPv4 address:
# mapped (::ffff:0:0/96), compatible (::/96) and NAT64 (64:ff9b::/96, 64:ff9b:1::/48).
PUBLIC_V6 = ip_network("2000::/3")
NOT_PUBLIC_V6 = [
    ip_network(text)
    for text in (
        "2001::/23",  # of protocols, such as Teredo, which contains an IPv4 address
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which contains an IPv4 address
        "3fff::/20",  # documentation
    )
]


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether the address is one host's on the internet, and does not stand for another address."""
    if not address.is_global or address.is_multicast:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_V4)
    return address in PUBLIC_V6 and not any(address in network for network in NOT_PUBLIC_V6)


def check_address(host: str, text: str, allowed: Iterable[Network]) -> None:
    """Raise WebhookError if the address `text` of `host` is neither public nor in a network that is allowed."""
    address = ip_address(text)
    if is_public(address) or any(address in network for network in allowed):
        return
    where = text if text == host else f"{host} is at {text}, which"
    raise WebhookError(f"{where} is not a public address. {ALLOW}", "url")


def resolve(host: str, port: int, allowed: Iterable[Network]) -> list[str]:
    """Return the host's addresses, all of them checked. Raises WebhookError if one is refused, or there is none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise WebhookError(f"The name {host} has no address.") from None
    addresses = list(dict.fromkeys(str(place[4][0]) for place in found))
    for address in addresses:
        check_address(host, address, allowed)
    return addresses
