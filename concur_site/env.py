"""Settings from the environment: each reader refuses a bad value and names the variable."""

import os
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = {"1", "true", "yes", "on"}
FALSE_WORDS = {"0", "false", "no", "off"}


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool) -> bool:
    word = text(name).lower()
    if not word:
        return default
    if word in TRUE_WORDS | FALSE_WORDS:
        return word in TRUE_WORDS
    raise ImproperlyConfigured(f"{name}={word!r} is neither yes nor no; set it to 1 or 0")


def integer(name: str, default: int, low: int, high: int) -> int:
    word = text(name)
    if not word:
        return default
    if word.isascii() and word.isdigit() and low <= int(word) <= high:
        return int(word)
    raise ImproperlyConfigured(f"{name}={word!r} is not a whole number from {low} to {high}")


def folder(name: str, default: Path) -> Path:
    path = Path(text(name, str(default))).expanduser().resolve()
    if path.exists() and not path.is_dir():
        raise ImproperlyConfigured(f"{name}={str(path)!r} is a file; name a folder")
    return path


def url(name: str, default: str, schemes: tuple[str, ...]) -> str:
    """Return an address. Its value may contain a password, so that no error repeats any of it."""
    value = text(name, default)
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018  (reading it checks it)
    except ValueError:
        raise ImproperlyConfigured(
            f"{name} cannot be read as an address; in its user and password, write @ : / and # as %40 %3A %2F and %23"
        ) from None
    if parts.scheme in schemes:
        return value
    raise ImproperlyConfigured(
        f"{name} does not begin with one of: {', '.join(f'{one}://' for one in schemes)}"
    )


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Return addresses and networks that are separated by commas."""
    found = []
    for word in names(name, []):
        try:
            found.append(ip_network(word))
        except ValueError:
            raise ImproperlyConfigured(
                f"{name}: {word!r} is neither an address nor a network; write them as 10.0.0.2 or 10.0.0.0/24"
            ) from None
    return found


def names(name: str, default: list[str]) -> list[str]:
    return [word.strip() for word in text(name).split(",") if word.strip()] or default
