"""The site's own Redis connection, for what Celery does not do: claims, queue lengths, health."""

from functools import cache

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from datasets_app.broker.circuit import BROKER_ERRORS, circuit

TIMEOUT_SECONDS = 1.0


@cache
def client() -> redis.Redis:
    """Return a client with a timeout of one second and no retries; redis-py by default retries three times."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


def is_answering() -> bool:
    """Return whether the broker answers now; False without asking while the circuit is open."""
    try:
        with circuit.attempt():
            return bool(client().ping())
    except BROKER_ERRORS:
        return False
