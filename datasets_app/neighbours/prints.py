"""What is stored of a kernel: its two hashes, and the shape that it shares with others."""

from __future__ import annotations

from dataclasses import dataclass

from datasets_app.neighbours import minhash
from datasets_app.neighbours.lexing import digest, lex
from datasets_app.neighbours.token import Token


@dataclass(frozen=True)
class Print:
    """A kernel's tokens, hashed with the writer's names in them and without."""

    sha256: str
    shape_sha256: str
    words: tuple[str, ...]  # the tokens without the writer's names

    def shingles(self) -> frozenset[int]:
        return minhash.shingles(self.words)


def print_of(program: str) -> Print:
    tokens: list[Token] = lex(program)
    words = tuple(token.shape for token in tokens)
    return Print(digest(token.text for token in tokens), digest(words), words)
