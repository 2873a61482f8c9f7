"""Text functions that benchmarks.libraries.child_pools runs in children: one harmless, the others hostile."""

import os
import re
from typing import Any


def length(text: str) -> int:
    return len(text)


def backtrack(text: str) -> bool:
    """Hold the interpreter's lock in C code, beyond any deadline."""
    return re.match("(a+)+$", text + "!") is not None


def secret(text: str) -> str:
    return os.environ.get("CONCUR_SECRET_KEY", "")


def allocate(text: str) -> int:
    return len(bytearray(2**30))


class Forged:
    """A possible answer of a compromised child: unpickling it calls a function in the parent."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.putenv, ("FORGED", "1")


def forge(text: str) -> Forged:
    return Forged()
