"""A host's key as one line of text, and the names of its lists in Redis. Imports no Django.

`cw1.NAME.SECRET.SITE`: who the host is, the seed of its own Ed25519 key, and the site's public key, so that one
variable tells a host all that it needs beside the broker's address.
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
    """A key that is none; the text says what to do and never repeats the key."""


@dataclass(frozen=True)
class HostKey:
    """What a host holds."""

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
        return f"cw1.{self.name}.{self.seed.hex()}.{self.site.hex()}"

    @cached_property
    def private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)

    @cached_property
    def site_public(self) -> Ed25519PublicKey:
        return public_key(self.site)

    @property
    def public(self) -> bytes:
        """The half that the site stores."""
        return raw_public(self.private)


def public_key(raw: bytes) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(raw)


def raw_public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def name_from(text: str) -> str:
    """Return a host's name made from a machine's: `GPU7.lab` is `gpu7-lab`."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60].strip("-") or "host"


def label_from(text: str) -> str:
    """Return what a worker calls itself, made from a machine's name or from whatever somebody chose."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).lstrip("._-")[:100] or "worker"


def inbound_list(host: str) -> str:
    """The list that this host alone writes to and the site reads."""
    return f"concur:inbound:{host}"


def notice_key(host: str, label: str) -> str:
    """Return where the site's answer to a worker's newest announcement is."""
    return f"concur:notice:{host}:{label}"


def worker_name(host: str, label: str) -> str:
    """Return the name of a worker on pages: by its host, and where that has several, by the machine's own name as well.

    No two hosts can have workers of one name, since a host's name has no slash.
    """
    return host if name_from(label) == host else f"{host}/{label}"
