"""Where a request comes from: one answer for everything that needs the client's address.

The address of the connection counts, unless it is a proxy named in CONCUR_TRUSTED_PROXIES; then it is the
right-most address in X-Forwarded-For that is not such a proxy. What a client writes there itself is further to the
left, and is not believed.
"""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

Address = IPv4Address | IPv6Address
IPV6_PREFIX = 64  # one subscriber has at least so much: single addresses of it are free to change


def client_address(request: HttpRequest) -> str:
    """The client's address; empty where the server names none, as on a Unix socket without a trusted proxy."""
    address = parsed(request.META.get("REMOTE_ADDR", ""))
    if address is None or not is_trusted(address):
        return str(address or "")
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    for entry in reversed(forwarded.split(",")):
        earlier = parsed(entry)
        if earlier is None:
            break  # nothing before it was written by a proxy of ours
        address = earlier
        if not is_trusted(address):
            break
    return str(address)


def brake_address(request: HttpRequest) -> str:
    """The client's address as brakes count it: an IPv6 address as its /64 network."""
    address = parsed(client_address(request))
    if isinstance(address, IPv6Address):
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(address or "")


def is_trusted(address: Address) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXIES)


def parsed(text: str) -> Address | None:
    """An address as servers and proxies write it, with or without a port; IPv4 in IPv6 is IPv4. None: it is none."""
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
