"""The environment variables of a host. A host has no Django settings, so that its values are read and checked here."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from datasets_app.log_context.formatters import FORMATS

REDIS_SCHEMES = ("redis://", "rediss://", "unix://")
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
MOST_BUILD_JOBS = 256


class VariableError(ValueError):
    """A variable has no usable value; the message names the variable and says what it takes."""


@dataclass(frozen=True)
class Environment:
    """The environment variables of a worker, except its key (see eval_app.host.key)."""

    redis_url: str
    data_folder: Path
    log_level: str
    log_format: str
    worker_name: str
    build_jobs: int  # compilers at once; 0: one per core


def read(variables: Mapping[str, str] = os.environ) -> Environment:
    """Return the checked values. Raises VariableError."""
    values = {name: value.strip() for name, value in variables.items()}
    return Environment(
        redis_url=redis_url(values.get("REDIS_URL", "")),
        data_folder=Path(values.get("CONCUR_DATA_DIR", "") or "var").resolve(),
        log_level=log_level(values.get("CONCUR_LOG_LEVEL", "")),
        log_format=log_format(values.get("CONCUR_LOG_FORMAT", "")),
        worker_name=worker_name(values.get("CONCUR_WORKER_NAME", "")),
        build_jobs=build_jobs(values.get("CONCUR_BUILD_JOBS", "")),
    )


def redis_url(value: str) -> str:
    """Return the broker's address. It may hold a password, so that no error repeats it."""
    if not value.startswith(REDIS_SCHEMES):
        problem = "does not begin with one of: " + ", ".join(REDIS_SCHEMES) if value else "is not set"
        raise VariableError(
            f"REDIS_URL {problem}. Set it to the site's Redis, as redis://user:password@host:6379/0"
        )
    try:
        urlsplit(value).port  # noqa: B018  (reading it checks it)
    except ValueError:
        raise VariableError(
            "REDIS_URL cannot be read as an address; in its user and password, write @ : / and # as %40 %3A %2F and %23"
        ) from None
    return value


def log_level(value: str) -> str:
    level = value.upper() or "INFO"
    if level in LOG_LEVELS:
        return level
    raise VariableError(f"CONCUR_LOG_LEVEL={value!r} is not one of: {', '.join(LOG_LEVELS)}")


def log_format(value: str) -> str:
    name = value.lower() or FORMATS[0]
    if name in FORMATS:
        return name
    raise VariableError(f"CONCUR_LOG_FORMAT={value!r} is not one of: {', '.join(FORMATS)}")


def worker_name(value: str) -> str:
    """Return the worker's name, which is also that of its folder."""
    if "/" in value or value in (".", ".."):
        raise VariableError(f"CONCUR_WORKER_NAME={value!r} cannot be the name of a folder; leave / out of it")
    return value


def build_jobs(value: str) -> int:
    if not value:
        return 0
    if value.isascii() and value.isdigit() and int(value) <= MOST_BUILD_JOBS:
        return int(value)
    raise VariableError(f"CONCUR_BUILD_JOBS={value!r} is not a whole number from 0 to {MOST_BUILD_JOBS}")
