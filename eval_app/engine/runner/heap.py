"""The C library's heap: what it gives out while a program is loaded, its model built and first called, is filled.

A program that never writes the padding of a buffer of its own, or the start of the sums that it adds to, may find zeros
there in all calls otherwise, since large memory is new in each. In a caller's process anything may be there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

# `M_PERTURB` of glibc's mallopt: what is given out is filled with the complement of this byte, what is taken back with
# the byte. 0x7F in each byte is a number beyond 1e38 in single precision.
_M_PERTURB = -6
_FILLING, _OFF = 0x80, 0
# Bound before a candidate is loaded; other C libraries have no such function.
_mallopt = getattr(ctypes.CDLL(None), "mallopt", None)


@contextmanager
def filled(*, is_on: bool) -> Iterator[None]:
    """Have memory filled when it is given out during the block, if `is_on`."""
    if not (is_on and _mallopt):
        yield
        return
    _mallopt(_M_PERTURB, _FILLING)
    try:
        yield
    finally:
        _mallopt(_M_PERTURB, _OFF)
