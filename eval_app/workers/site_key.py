"""The site's signing key and the nonces of its jobs, both derived from SECRET_KEY, which no table holds.

Every process of the site can derive them on any machine, and a copy of the database forges nothing. After a
change of CONCUR_SECRET_KEY each host needs a new key, since its old one contains the site's former public
key.
"""

import hmac
from functools import lru_cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings

from eval_app.broker.messages.keys import raw_public


def signing_key() -> Ed25519PrivateKey:
    """Return the site's private key."""
    return _signing_key(settings.SECRET_KEY)


def verifying_key() -> Ed25519PublicKey:
    """Return the site's public key."""
    return signing_key().public_key()


def public_bytes() -> bytes:
    """Return the public key in the form that a host's key contains."""
    return raw_public(signing_key())


def nonce(verification_id: object, attempt: int) -> str:
    """Return the nonce of an attempt, known only to the site and the receiver of the job."""
    return _derived(settings.SECRET_KEY, f"nonce {verification_id} {attempt}")[:16].hex()


def knows_nonce(given: object, verification_id: object, attempt: int) -> bool:
    """Return whether `given` is the attempt's nonce, compared in constant time."""
    return isinstance(given, str) and hmac.compare_digest(
        given.encode("utf-8", "replace"), nonce(verification_id, attempt).encode()
    )


@lru_cache(maxsize=4)
def _signing_key(secret: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(_derived(secret, "site signing key"))


def _derived(secret: str, purpose: str) -> bytes:
    return hmac.digest(secret.encode(), f"concur {purpose}".encode(), "sha256")
