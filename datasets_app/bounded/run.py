"""Runs a pure function of text in a child process within limits, and caches its result."""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from django.conf import settings

from datasets_app.bounded import messages
from datasets_app.bounded.cache import Results
from datasets_app.bounded.errors import (
    BUSY,
    CRASH,
    DEADLINE,
    FOREIGN,
    MEMORY,
    SENTENCES,
    START,
    AnalysisError,
)
from datasets_app.bounded.pool import STRETCH, BusyError, Pool, StartError, StarvedError

T = TypeVar("T")
PAGE_SECONDS = 1.0  # the longest that a page waits
log = logging.getLogger(__name__)

results = Results()
pool = Pool()
WAITING = 64  # more than the requests that one process serves at once: the deadline runs while a call waits
waiting = ThreadPoolExecutor(WAITING, "analysis")


def analysed_ahead(
    function: Callable[..., T], *arguments: object, seconds: float = PAGE_SECONDS
) -> Callable[[], T]:
    """Start `analysed(function, *arguments)` and return a function that waits for its result or AnalysisError.

    The caller's own queries run meanwhile. A thread waits for the child; it runs nothing else.
    """
    if not settings.ANALYSIS_IN_CHILDREN:
        return lambda: function(*arguments)
    return waiting.submit(analysed, function, *arguments, seconds=seconds).result


def analysed(
    function: Callable[..., T],
    *arguments: object,
    seconds: float = PAGE_SECONDS,
    patience: float = 0.0,
    cached: bool = True,
) -> T:
    """Return `function(*arguments)`, computed in a child process within `seconds`. Raises AnalysisError.

    The function is named by its module; its result consists of dataclasses, texts and numbers. Results are cached, and
    failures for some minutes, unless `cached` is false. Waiting for a child counts toward `seconds`, or, outside of
    page requests, takes up to `patience` seconds before them.
    """
    if not settings.ANALYSIS_IN_CHILDREN:
        return function(*arguments)
    call = (function.__module__, function.__qualname__, arguments)
    request = pickle.dumps((*call, STRETCH * seconds), protocol=5)
    asking = Asking(function.__qualname__, request, seconds, patience)
    value: T
    if not cached:
        _, value = asked(asking)
        return value
    key = hashlib.blake2b(asking.request, digest_size=20).digest()
    stored = results.get(key)
    value = fresh(key, asking) if stored is None else messages.unpacked(stored)
    return value


class Asking(NamedTuple):
    """A call of the function `name`, pickled, and its limits."""

    name: str
    request: bytes
    seconds: float
    patience: float


def fresh(key: bytes, asking: Asking) -> Any:
    try:
        answer, value = asked(asking)
    except AnalysisError as error:
        log.warning("%s gave no result: %s", asking.name, error)
        if error.is_of_the_text:
            results.fail(key, error)
        raise
    results.put(key, answer)
    return value


def asked(asking: Asking) -> tuple[bytes, Any]:
    """Ask a child; every failure is an AnalysisError. Return the result, pickled and unpickled."""
    name, seconds = asking.name, asking.seconds
    try:
        kind, content = messages.unpacked(pool.ask(asking.request, seconds, asking.patience))
        if kind == messages.VALUE:
            return content, messages.unpacked(content)
    except BusyError as error:
        raise AnalysisError(name, BUSY) from error
    except StartError as error:
        raise AnalysisError(name, START) from error
    except TimeoutError as error:
        starved = isinstance(error, StarvedError)
        raise AnalysisError(name, DEADLINE, seconds, is_starved=starved) from error
    except messages.AnswerTooLargeError as error:
        raise AnalysisError(name, MEMORY) from error
    except (messages.NotPlainDataError, TypeError, ValueError) as error:
        raise AnalysisError(name, FOREIGN) from error
    except OSError as error:
        raise AnalysisError(name, CRASH) from error
    raise AnalysisError(name, kind if kind in SENTENCES else FOREIGN, detail=str(content))


def start() -> None:
    """Start a child before the first page needs one."""
    if settings.ANALYSIS_IN_CHILDREN:
        threading.Thread(target=pool.start, name="analysis", daemon=True).start()


def stop() -> None:
    """End the idle children."""
    pool.stop()


def after_fork() -> None:
    """Start with a new pool after a fork: two processes on one socket would read each other's answers."""
    global pool, results, waiting
    pool, results, waiting = Pool(), Results(), ThreadPoolExecutor(WAITING, "analysis")


os.register_at_fork(after_in_child=after_fork)
atexit.register(stop)
