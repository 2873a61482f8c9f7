"""All limits of the server, with their defaults."""

from dataclasses import dataclass

from django.conf import settings

KIB, MIB, GIB = 2**10, 2**20, 2**30


@dataclass(frozen=True)
class Limits:
    """The limits of one site process."""

    threads: int = 4  # requests that run at once
    express_threads: int = 2  # for health, static files and refusals, which never wait for pages
    queue: int = 64  # requests that wait for a thread
    queue_seconds: float = 20.0  # for at most this long
    request_seconds: float = 60.0  # a process whose request sends nothing for longer is replaced
    connections: int = 1000
    idle_seconds: float = 75.0  # between two requests of a connection
    window_seconds: float = 30.0  # in each of these, a body or a response moves window_bytes
    window_bytes: int = 15 * KIB
    header_bytes: int = 64 * KIB
    body_bytes: int = 4 * GIB
    all_bodies_bytes: int = 8 * GIB  # of all requests that are being received or wait, on disk
    drain_seconds: float = 5.0  # for running requests, after the process was told to stop

    @classmethod
    def of_settings(cls) -> "Limits":
        return cls(
            threads=settings.SITE_THREADS,
            request_seconds=settings.REQUEST_SECONDS,
            connections=settings.SITE_CONNECTIONS,
        )
