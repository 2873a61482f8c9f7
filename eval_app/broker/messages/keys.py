"""A host's key as one line of text, and the names of its lists in Redis. Imports no Django.

`cw1.NAME.SECRET.SITE`: the host's name, the seed of its Ed25519 key, and the site's public key, so that a
host needs one variable besides the broker's address.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
FORM = re.compile(rf"cw1\.({NAME.pattern})\.([0-9a-f]{{64}})\.([0-9a-f]{{64}})")
NAME_RULE = "lower-case letters, digits and hyphens, at most 60, the first one a letter or digit"


class HostKeyError(ValueError):
    """An invalid key; the message says what to do and never repeats the key."""


@dataclass(frozen=True)
class HostKey:
    """The key of a host."""

    name: str
    seed: bytes = field(repr=False)
    site: bytes  # the site's public key

    @classmethod
    def make(cls, name: str, site: bytes) -> "HostKey":
        """Return a new key for a host of this name."""
        return cls(name, Ed25519PrivateKey.generate().private_bytes_raw(), site)

    @classmethod
    def read(cls, text: str) -> "HostKey":
        """Return the key in `text`. Raises HostKeyError."""
        match = FORM.fullmatch(text.strip())
        if match is None:
            raise HostKeyError(
                "The host's key is malformed: it is one line, cw1.NAME.<64 hex digits>.<64 hex digits>. "
                "Copy it again as the site printed it, or make a new one there: manage.py host rotate NAME"
            )
        return cls(match[1], bytes.fromhex(match[2]), bytes.fromhex(match[3]))

    @property
    def text(self) -> str:
        """Return the key as one line."""
        return f"cw1.{self.name}.{self.seed.hex()}.{self.site.hex()}"

    @cached_property
    def private(self) -> Ed25519PrivateKey:
        """Return the host's signing key."""
        return Ed25519PrivateKey.from_private_bytes(self.seed)

    @cached_property
    def site_public(self) -> Ed25519PublicKey:
        """Return the site's verifying key."""
        return public_key(self.site)

    @property
    def public(self) -> bytes:
        """Return the public half, which the site stores."""
        return raw_public(self.private)


def public_key(raw: bytes) -> Ed25519PublicKey:
    """Return a public key from its bytes."""
    return Ed25519PublicKey.from_public_bytes(raw)


def raw_public(key: Ed25519PrivateKey) -> bytes:
    """Return the bytes of a key's public half."""
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def name_from(text: str) -> str:
    """Return a host name made from a machine's name: `GPU7.lab` becomes `gpu7-lab`."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60].strip("-") or "host"


def label_from(text: str) -> str:
    """Return a worker's label made from a machine's name or from any chosen text."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).lstrip("._-")[:100] or "worker"


def inbound_list(host: str) -> str:
    """Return the list that only this host writes and the site reads."""
    return f"concur:inbound:{host}"


def notice_key(host: str, label: str) -> str:
    """Return the key of the site's answer to a worker's newest announcement."""
    return f"concur:notice:{host}:{label}"


def worker_name(host: str, label: str) -> str:
    """Return a worker's name for pages: its host's, followed by the machine's own name if the host has several.

    Workers of different hosts never share a name, since a host's name has no slash.
    """
    return host if name_from(label) == host else f"{host}/{label}"
