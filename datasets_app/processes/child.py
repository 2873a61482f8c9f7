"""Runs one call in a child process that is killed at its deadline. Its answer is JSON: nothing from it is unpickled."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import orjson

from datasets_app.processes.limits import confine

WARM = "datasets_app.processes.warm"
ROOT = str(Path(__file__).resolve().parent.parent.parent)
MOST_ANSWER_BYTES = 4 * 2**20

_starting = threading.Lock()


class ChildError(Exception):
    """The child gave no answer; the message gives the reason, as the end of a sentence."""


@dataclass(frozen=True)
class Limits:
    seconds: float
    memory_bytes: int


@cache
def _started() -> multiprocessing.context.ForkServerContext:
    """Start the server, and check that it has loaded the site: Python's own ignores what it cannot import."""
    # Python before 3.12.8 does not give the server the path of modules: it has the current folder alone.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH")]))
    forkserver = multiprocessing.get_context("forkserver")
    forkserver.set_forkserver_preload([WARM])
    receive, send = forkserver.Pipe(duplex=False)
    process = forkserver.Process(target=_report_load, args=(send, WARM), daemon=True)
    try:
        process.start()
        send.close()
        fault = receive.recv_bytes().decode()
    except (EOFError, OSError):
        fault = "its process ended; the error is in the log"
    if fault:
        raise ChildError(f"the processes for it cannot load the site: {fault}")
    process.join()
    return forkserver


def _report_load(send: Connection, module: str) -> None:
    """Send why the server could not load the site; nothing if it has."""
    fault = ""
    if module not in sys.modules:
        try:
            import_module(module)
        except Exception as error:  # whatever it is, the first caller reports it
            fault = f"{type(error).__name__}: {error}"
        fault = fault or "its server started without it"
    send.send_bytes(fault.encode())


def context() -> multiprocessing.context.ForkServerContext:
    """Return the context of processes forked from a server with the site loaded; the first one starts the server.

    Raises ChildError if the server cannot load the site.
    """
    with _starting:
        return _started()


def call(function: Callable[..., Any], args: tuple[Any, ...], limits: Limits) -> Any:
    """Return what `function(*args)` returns in a child process. Raises ChildError.

    The function must be importable by its name, and its answer must be JSON.
    """
    receive, send = context().Pipe(duplex=False)
    process = context().Process(target=_answer, args=(send, limits, function, args), daemon=True)
    process.start()
    send.close()
    try:
        return _wait(receive, process, limits)
    finally:
        receive.close()
        process.kill()
        process.join()


def _wait(receive: Connection, process: Any, limits: Limits) -> Any:
    if not receive.poll(limits.seconds):
        raise ChildError(f"it took longer than {limits.seconds:g} s")
    try:
        answer = orjson.loads(receive.recv_bytes(MOST_ANSWER_BYTES))
    except (EOFError, OSError, orjson.JSONDecodeError):
        process.join(1)
        raise ChildError(ended(process.exitcode)) from None
    if answer.get("out_of_memory"):
        raise ChildError(f"it needed more than {limits.memory_bytes / 2**20:,.0f} MB of memory")
    return answer["value"]


def ended(exitcode: int | None) -> str:
    """Return how a process ended, in words."""
    if exitcode is not None and exitcode < 0:
        return f"its process ended by signal {signal.Signals(-exitcode).name}"
    return f"its process ended with status {exitcode}"


def _answer(send: Connection, limits: Limits, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Run the call in the child and end the process at once: what would be freed may be large or damaged."""
    confine(function.__name__, limits.memory_bytes)
    try:
        answer = orjson.dumps({"value": function(*args)})
    except MemoryError:
        answer = orjson.dumps({"out_of_memory": True})
    send.send_bytes(answer)
    os._exit(0)
