"""Tells whether two sites have the same secret key, without writing the key down."""

import hashlib
import secrets

SALT_BYTES = 16
COST = {"n": 2**14, "r": 8, "p": 1}


def digest(key: str, salt: bytes) -> str:
    return hashlib.scrypt(key.encode(), salt=salt, dklen=32, **COST).hex()


def key_check(key: str) -> str:
    """Return a salted, slow hash of the key: an operator may have chosen a weak one."""
    salt = secrets.token_bytes(SALT_BYTES)
    return f"{salt.hex()}:{digest(key, salt)}"


def fits(key: str, check: str) -> bool:
    """Return whether the key is the one that the check was made of."""
    salt, _, expected = check.partition(":")
    try:
        return secrets.compare_digest(digest(key, bytes.fromhex(salt)), expected)
    except ValueError:
        return False
