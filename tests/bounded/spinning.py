"""Functions to run in a child process: the effects of hostile texts on an analysis."""

import os
import re
import time

from datasets_app.syntax.kernel import Use


def doubled(text: str) -> str:
    return text * 2


def catastrophic(text: str) -> bool:
    """Hold the interpreter's lock in native code, beyond any deadline."""
    return re.match(r"(a+)+$", text) is not None


def never_done(*_: object) -> None:
    time.sleep(600)


def hungry(megabytes: int) -> int:
    return len(bytearray(megabytes * 2**20))


def broken(_text: str) -> None:
    raise KeyError("no such name")


def ended(_text: str) -> None:
    os._exit(3)


def asleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def environment() -> list[str]:
    return sorted(os.environ)


def number_of_process() -> int:
    return os.getpid()


def use() -> Use:
    return Use("__ldg", "read-only load", (1, 2))


def not_plain_data() -> object:
    return os.path.join
