"""The request and the job that the present thread works on."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_request: ContextVar[str] = ContextVar("request", default="")
_job: ContextVar[str] = ContextVar("job", default="")


@contextmanager
def in_request(request_id: str) -> Iterator[None]:
    """Name the request in all log lines of the block."""
    token = _request.set(request_id)
    try:
        yield
    finally:
        _request.reset(token)


@contextmanager
def on_job(job_id: str) -> Iterator[None]:
    """Name the job in all log lines of the block."""
    token = _job.set(job_id)
    try:
        yield
    finally:
        _job.reset(token)


def verification_job(verification: object, attempt: object) -> str:
    """Return the id of a verification's job, which is that of its message as well."""
    return f"{verification}:{attempt}"


def request_id() -> str:
    """Return the id of the request that this thread works on; empty outside of one."""
    return _request.get()


def ids() -> dict[str, str]:
    """Return what is known of the request and the job, by name."""
    return {name: value for name, value in (("request", _request.get()), ("job", _job.get())) if value}
