"""The site's own signing key and the nonces of its jobs: both come from SECRET_KEY, which no table holds.

So every process of the site has them, on whichever machine it runs, and a copy of the database forges nothing. After a
change of CONCUR_SECRET_KEY each host needs a new key, since its old one names the site's former public key.
"""

import hmac
from functools import lru_cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings

from eval_app.broker.messages.keys import raw_public


def signing_key() -> Ed25519PrivateKey:
    return _signing_key(settings.SECRET_KEY)


def verifying_key() -> Ed25519PublicKey:
    return signing_key().public_key()


def public_bytes() -> bytes:
    """The public key as a host's key carries it."""
    return raw_public(signing_key())


def nonce(verification_id: object, attempt: int) -> str:
    """Return the nonce of an attempt: only the site and whoever got its job know it."""
    return _derived(settings.SECRET_KEY, f"nonce {verification_id} {attempt}")[:16].hex()


def knows_nonce(given: object, verification_id: object, attempt: int) -> bool:
    return isinstance(given, str) and hmac.compare_digest(
        given.encode("utf-8", "replace"), nonce(verification_id, attempt).encode()
    )


@lru_cache(maxsize=4)
def _signing_key(secret: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(_derived(secret, "site signing key"))


def _derived(secret: str, purpose: str) -> bytes:
    return hmac.digest(secret.encode(), f"concur {purpose}".encode(), "sha256")
