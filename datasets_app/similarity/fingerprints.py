"""The fingerprint of a kernel: two hashes, and the shape that it shares with others. Pure functions of text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from datasets_app.similarity import minhash
from datasets_app.similarity.lexing import digest, lex, loose_words
from datasets_app.similarity.token import OWN_NAME, Token

READ_CHARS = 500_000  # per kernel; the rest of a longer one counts only as a hash


@dataclass(frozen=True)
class Fingerprint:
    """A kernel's tokens, hashed with and without the author's names; and its shape, packed."""

    sha256: str
    shape_sha256: str
    shingles: bytes  # sorted unsigned 32-bit hashes, see minhash.pack
    signature: bytes


def fingerprint_of(program: str) -> Fingerprint:
    """Return the fingerprint of a kernel's tokens. Text beyond READ_CHARS is not tokenised."""
    return fingerprint_of_tokens(lex(program[:READ_CHARS]), program[READ_CHARS:])


def fallback_fingerprint(program: str) -> Fingerprint:
    """Return a fingerprint of words and punctuation, for a text that no parser reads in time."""
    return fingerprint_of_tokens(loose_words(program[:READ_CHARS]), program[READ_CHARS:])


def fingerprint_of_tokens(tokens: list[Token], rest: str) -> Fingerprint:
    if rest:
        rest_hash = hashlib.sha256(rest.encode("utf-8", "surrogatepass")).hexdigest()
        tokens.append(Token(rest_hash, OWN_NAME))
    words = [token.shape for token in tokens]
    shingles = minhash.shingles(words)
    signature = minhash.pack(minhash.signature(shingles))
    return Fingerprint(
        digest(token.text for token in tokens), digest(words), minhash.pack(sorted(shingles)), signature
    )
