"""Text that every database accepts."""

import re

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # in PostgreSQL, and as UTF-8


def storable(text: str) -> str:
    """Return a text with NUL characters and lone surrogates replaced."""
    return UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)
