"""The client's address of a request, for everything that needs it.

It is the address of the connection, unless that is a proxy named in CONCUR_TRUSTED_PROXIES; then it is the right-most
address in X-Forwarded-For that is not such a proxy. What a client writes into that header is further to the left and is
ignored.
"""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

Address = IPv4Address | IPv6Address
IPV6_PREFIX = 64  # a subscriber has at least this much and can change addresses within it


def client_address(request: HttpRequest) -> str:
    """Return the client's address; empty if the server knows none, as on a Unix socket without a trusted proxy."""
    address = parsed(request.META.get("REMOTE_ADDR", ""))
    if address is None or not is_trusted(address):
        return str(address or "")
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    for entry in reversed(forwarded.split(",")):
        earlier = parsed(entry)
        if earlier is None:
            break  # entries further left were not written by a trusted proxy
        address = earlier
        if not is_trusted(address):
            break
    return str(address)


def brake_address(request: HttpRequest) -> str:
    """Return the client's address as the brake counts it: an IPv6 address as its /64 network."""
    address = parsed(client_address(request))
    if isinstance(address, IPv6Address):
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(address or "")


def is_trusted(address: Address) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXIES)


def parsed(text: str) -> Address | None:
    """Return the address, given with or without a port, or None if it is none. IPv4 in IPv6 becomes IPv4."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (isinstance(address, IPv6Address) and address.ipv4_mapped) or address
