"""The site's own connection to Redis, for what Celery does not do: claims, lengths of queues, whether it answers."""

from functools import cache

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from datasets_app.broker.circuit import BROKER_ERRORS, circuit

TIMEOUT_SECONDS = 1.0


@cache
def client() -> redis.Redis:
    """Waits a second and tries once: redis-py by itself would try three times more, with pauses."""
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
