"""Checks what this machine lacks. Each problem is a sentence with a remedy, printed by `up` and `doctor`."""

import importlib.util
import os
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings

from concur_site import redis_server
from concur_site.backup.files import is_left
from concur_site.up import listener, private_files
from datasets_app.export.store import release_files

FREE_BYTES_NEEDED = 2 * 2**30


@dataclass(frozen=True)
class Problem:
    """Something that is missing. A fatal problem keeps the site from starting; any other disables a feature."""

    sentence: str
    fatal: bool = False


def check_port() -> Iterator[Problem]:
    if not listener.is_free(settings.PORT):
        yield Problem(port_is_taken(), fatal=True)


def port_is_taken() -> str:
    return (
        f"Port {settings.PORT} is taken by {listener.holder(settings.PORT) or 'another program'}: stop it, "
        f"or choose another port, as in: CONCUR_PORT={settings.PORT + 1} make run"
    )


def check_data_folder() -> Iterator[Problem]:
    try:
        settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
        free_bytes = shutil.disk_usage(settings.DATA_DIR).free
    except OSError as error:
        yield Problem(
            f"The data folder {settings.DATA_DIR} cannot be created ({error.strerror}): set CONCUR_DATA_DIR",
            True,
        )
        return
    if not os.access(settings.DATA_DIR, os.W_OK):
        yield Problem(
            f"The data folder {settings.DATA_DIR} is not writable: set CONCUR_DATA_DIR to another", True
        )
    elif free_bytes < FREE_BYTES_NEEDED:
        yield Problem(
            f"Only {free_bytes / 2**30:.1f} GiB are free in {settings.DATA_DIR}; builds and exports may need more: "
            "make room, or set CONCUR_DATA_DIR to another disk"
        )


def check_restore() -> Iterator[Problem]:
    if is_left():
        yield Problem(
            "A restore was interrupted, so that files and tables may be of two sites: run it again: "
            "manage.py restore FILE --replace",
            fatal=True,
        )


def check_sqlite() -> Iterator[Problem]:
    with sqlite3.connect(":memory:") as connection:
        options = {row[0] for row in connection.execute("PRAGMA compile_options")}
    if "ENABLE_FTS5" not in options:
        yield Problem(
            "This Python's SQLite has no full-text search (FTS5): use another Python, or DATABASE_URL", True
        )


def check_redis() -> Iterator[Problem]:
    if not settings.HAS_OWN_REDIS:
        if not redis_server.answers(settings.REDIS_URL):
            yield Problem(
                "REDIS_URL names a Redis that does not answer: start it, or unset REDIS_URL", fatal=True
            )
        elif weakness := redis_server.weakness(settings.REDIS_URL):
            yield Problem(weakness)
        return
    try:
        redis_server.server_program()
    except redis_server.RedisError as error:
        yield Problem(str(error), fatal=True)


def check_compiler() -> Iterator[Problem]:
    if not any(shutil.which(name) for name in ("g++", "clang++", "c++")):
        yield Problem(
            "No C++ compiler: kernels cannot be built here. On Debian or Ubuntu: apt-get install g++"
        )


def check_sandbox() -> Iterator[Problem]:
    if not shutil.which("bwrap"):
        yield Problem(
            "No bubblewrap: kernels will not be run here, since they must not run outside a sandbox. "
            "On Debian or Ubuntu: apt-get install bubblewrap"
        )


def check_torch() -> Iterator[Problem]:
    if importlib.util.find_spec("torch") is None:
        yield Problem("No torch in this environment: nothing is verified here. Install it with: make install")


def check_gpu() -> Iterator[Problem]:
    if not os.path.exists("/dev/nvidiactl"):
        yield Problem(
            "No NVIDIA GPU: C++ and Python kernels are verified here; CUDA kernels wait for a worker that has one"
        )


def check_store() -> Iterator[Problem]:
    if sentence := release_files().fault():
        yield Problem(sentence)


CHECKS = [
    check_data_folder,
    check_restore,
    check_store,
    check_sqlite,
    check_port,
    check_redis,
    check_compiler,
    check_sandbox,
    check_torch,
    check_gpu,
]


def check_private_files() -> Iterator[Problem]:
    """Check file permissions, for `doctor` only: `up` corrects them before it starts anything."""
    for sentence in private_files.faults():
        yield Problem(sentence, fatal=True)


def problems(site_is_running: bool = False) -> list[Problem]:
    """Return the problems that all checks found. If the site is running, its own port is not a problem."""
    due = [check for check in CHECKS if not (site_is_running and check is check_port)]
    return [problem for check in due for problem in check()]
