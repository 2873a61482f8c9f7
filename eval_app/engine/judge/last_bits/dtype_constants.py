"""Constants of a dtype, such as its eps: in a wider precision a reference that asks for those of its values' dtype gets
others, and what follows from them is no error of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch


@contextmanager
def asked() -> Iterator[list[torch.finfo]]:
    """Yield the list of what `torch.finfo` answers in this thread, in order."""
    answers: list[torch.finfo] = []

    def note(found: torch.finfo) -> torch.finfo:
        answers.append(found)
        return found

    with _through(note):
        yield answers


@contextmanager
def answered(answers: Sequence[torch.finfo]) -> Iterator[None]:
    """Have `torch.finfo` give these answers in this thread, in order, and its own after the last."""
    left = iter(answers)
    with _through(lambda found: next(left, found)):
        yield


@contextmanager
def _through(change: Callable[[torch.finfo], torch.finfo]) -> Iterator[None]:
    """Change the answers of `torch.finfo` in this thread alone."""
    real, thread = torch.finfo, threading.get_ident()

    def finfo(*args: Any, **kwargs: Any) -> torch.finfo:
        found = real(*args, **kwargs)
        return change(found) if threading.get_ident() == thread else found

    torch.finfo = finfo  # type: ignore[misc, assignment]
    try:
        yield
    finally:
        torch.finfo = real  # type: ignore[misc]
