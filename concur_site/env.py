"""Settings from the environment: each reader refuses a bad value and names the variable.

Each reader also notes which values its variable accepts and what its default is, for concur_site.variables.
"""

import os
import re
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = {"1", "true", "yes", "on"}
FALSE_WORDS = {"0", "false", "no", "off"}
AS_CODES = "in its user and password, write @ : / and # as %40 %3A %2F and %23"
READ: dict[str, tuple[str, str]] = {}  # accepted values and default of each variable read


def value_of(name: str, accepted: str, default: object) -> str:
    """Return what the environment says, or an empty text, and note the variable."""
    READ.setdefault(name, (accepted, str(default)))  # the settings read it first
    return os.environ.get(name, "").strip()


def text(name: str, default: str = "") -> str:
    return value_of(name, "text", default) or default


def flag(name: str, default: bool) -> bool:
    word = value_of(name, "0 or 1", int(default)).lower()
    if not word:
        return default
    if word in TRUE_WORDS | FALSE_WORDS:
        return word in TRUE_WORDS
    raise ImproperlyConfigured(f"{name}={word!r} is not a flag; set it to 1 or 0")


def choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    word = value_of(name, ", ".join(choices), default).lower() or default
    if word in choices:
        return word
    raise ImproperlyConfigured(f"{name}={word!r} is not one of: {', '.join(choices)}")


def slug(name: str, default: str) -> str:
    word = value_of(name, "letters, digits, hyphens", default) or default
    if re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9-]{0,38}[A-Za-z0-9])?", word):
        return word
    raise ImproperlyConfigured(
        f"{name}={word!r} is not a name; use up to 40 letters, digits and hyphens inside"
    )


def integer(name: str, default: int, low: int, high: int) -> int:
    word = value_of(name, f"{low} to {high}", default)
    if not word:
        return default
    if word.isascii() and word.isdigit() and low <= int(word) <= high:
        return int(word)
    raise ImproperlyConfigured(f"{name}={word!r} is not a whole number from {low} to {high}")


def folder(name: str, default: Path) -> Path:
    path = Path(value_of(name, "a folder", default) or default).expanduser().resolve()
    if path.exists() and not path.is_dir():
        raise ImproperlyConfigured(f"{name}={str(path)!r} is a file; name a folder")
    return path


def url(name: str, default: str, schemes: tuple[str, ...]) -> str:
    """Return a URL, or the default. Its value may contain a password, so that no error message repeats any of it."""
    value = value_of(name, ", ".join(f"{scheme}://" for scheme in schemes), default)
    if not value:
        return default
    try:
        parts = urlsplit(value)
        for host in parts.netloc.rpartition("@")[2].split(","):  # several servers of one database
            urlsplit(f"//{host}").port  # noqa: B018  (reading it checks it)
    except ValueError:
        raise ImproperlyConfigured(f"{name} cannot be read as an address; {AS_CODES}") from None
    if parts.scheme in schemes:
        return value
    raise ImproperlyConfigured(
        f"{name} does not begin with one of: {', '.join(f'{scheme}://' for scheme in schemes)}"
    )


def address(name: str) -> str:
    """Return HOST:PORT, or an empty text."""
    word = value_of(name, "HOST:PORT", "")
    match = re.fullmatch(r"([\w.-]+|\[[\da-fA-F:]+\]):(\d{1,5})", word, re.ASCII)
    if not word or (match and 0 < int(match[2]) < 65536):
        return word
    raise ImproperlyConfigured(f"{name}={word!r} is not an address; write it as 10.0.0.5:6379")


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Return a comma-separated list of addresses and networks."""
    networks_read = []
    for word in names(name, [], "addresses and networks, comma-separated"):
        try:
            networks_read.append(ip_network(word))
        except ValueError:
            raise ImproperlyConfigured(
                f"{name}: {word!r} is neither an address nor a network; write them as 10.0.0.2 or 10.0.0.0/24"
            ) from None
    return networks_read


def origins(name: str, *, wildcards: bool = False) -> list[str]:
    """Return a comma-separated list of origins: scheme and host alone; `wildcards` allows https://*.example.org."""
    read = names(name, [], "origins, comma-separated")
    for word in read:
        host = word.replace("://*.", "://", 1) if wildcards else word
        if not re.fullmatch(r"https?://([\w.-]+|\[[\da-fA-F:]+\])(:\d{1,5})?", host, re.ASCII):
            raise ImproperlyConfigured(
                f"{name}: {word!r} is not an origin; write scheme and host alone, as https://bench.example.org"
            )
    return read


def endpoints(name: str) -> dict[str, str]:
    """Return a comma-separated list of NAME=URL. A URL may contain a password, so that no error repeats it."""
    found = pairs(name, "NAME=URL, comma-separated")
    for word, address in found.items():
        try:
            parts = urlsplit(address)
            parts.port  # noqa: B018  (reading it checks it)
        except ValueError:
            raise ImproperlyConfigured(
                f"{name}: the URL of {word!r} cannot be read as an address; {AS_CODES}"
            ) from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ImproperlyConfigured(f"{name}: the URL of {word!r} does not begin with http:// or https://")
    return found


def prices(name: str) -> dict[str, tuple[float, float]]:
    """Return a comma-separated list of NAME=PROMPT/ANSWER, two amounts that are not negative."""
    found = {}
    for word in names(name, [], "NAME=PROMPT/ANSWER, comma-separated"):
        key, _, amounts = word.rpartition("=")
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*/\s*(\d+(?:\.\d+)?)\s*", amounts)
        if not key.strip() or match is None:
            raise ImproperlyConfigured(f"{name}: {word!r} is not NAME=PROMPT/ANSWER, such as hosted=0.25/1.5")
        found[key.strip()] = (float(match[1]), float(match[2]))
    return found


def pairs(name: str, accepted: str = "NAME=VALUE, comma-separated") -> dict[str, str]:
    """Return a comma-separated list of NAME=VALUE. A value may be secret, so that no error repeats it."""
    found = {}
    for number, word in enumerate(names(name, [], accepted), 1):
        key, sign, value = (part.strip() for part in word.partition("="))
        if not (sign and value and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}", key)):
            raise ImproperlyConfigured(
                f"{name}: part {number} is not NAME=VALUE, with a name of letters and digits"
            )
        found[key] = value
    return found


def names(name: str, default: list[str], accepted: str = "comma-separated") -> list[str]:
    words = value_of(name, accepted, ", ".join(default)).split(",")
    return [word.strip() for word in words if word.strip()] or default
