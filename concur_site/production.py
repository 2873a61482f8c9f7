"""What a site in production refuses to start with. Only CONCUR_ENV=production switches it on; `make run` needs none."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

LEAST_KEY_CHARACTERS = 50  # as Django's own check wants
LEAST_DIFFERENT = 5
MAKE_A_KEY = "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"


def refuse_unsafe(*, secret_key: str, hosts: Sequence[str], debug: bool, tls: bool, redis_url: str) -> None:
    """Raise ImproperlyConfigured with every fault, each by the variable's name. No secret is repeated."""
    found = [
        *key_faults(secret_key),
        *host_faults(hosts),
        *(["CONCUR_DEBUG=1 shows source, settings and queries to everybody: unset it"] if debug else []),
        *([] if tls else ["CONCUR_TLS is not 1: put a proxy with TLS before the site, then set it"]),
        *broker_faults(redis_url),
    ]
    if found:
        raise ImproperlyConfigured("CONCUR_ENV=production, but\n- " + "\n- ".join(found))


def key_faults(secret_key: str) -> Iterator[str]:
    if not secret_key:
        yield f"CONCUR_SECRET_KEY is empty: make a key with {MAKE_A_KEY}, and keep it where backups are not"
    elif len(secret_key) < LEAST_KEY_CHARACTERS or len(set(secret_key)) < LEAST_DIFFERENT:
        yield f"CONCUR_SECRET_KEY is shorter than {LEAST_KEY_CHARACTERS} characters, or repeats few: {MAKE_A_KEY}"


def host_faults(hosts: Sequence[str]) -> Iterator[str]:
    if not hosts:
        yield "CONCUR_HOSTS is empty: name the hosts that the site answers to, as bench.example.org"
    for host in hosts:
        if "*" in host or host.startswith("."):
            yield f"CONCUR_HOSTS has the wildcard {host!r}: name each host"


def broker_faults(redis_url: str) -> Iterator[str]:
    parts = urlsplit(redis_url)
    if parts.scheme in ("redis", "rediss") and not parts.password:
        yield "REDIS_URL has no password: whoever reaches the broker could take and send jobs"
