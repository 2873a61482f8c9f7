"""What `doctor` says of the site beyond its health: what to do for each part, tables, clocks, versions of hosts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from django.conf import settings
from django.db import connection

from concur_site.health import checks
from concur_site.health.part import Status
from concur_site.health.report import Report
from concur_site.up.checks import Problem
from datasets_app.broker import client
from eval_app.operations import hosts

CLOCK_SECONDS = 5.0  # messages are refused at ten minutes, and heartbeats are compared to the second


def remedies(health: Report) -> Iterator[Problem]:
    """Yield what to do for every part that is not well."""
    for name, part in health.troubles.items():
        yield Problem(f"{name}: {REMEDIES[name]()}", fatal=part.status == Status.FAILED)


def database_remedy() -> str:
    if connection.vendor == "postgresql":
        return (
            "start PostgreSQL, and check host, name, user and password of DATABASE_URL: "
            "psql \"$DATABASE_URL\" -c 'SELECT 1'"
        )
    path = settings.DATABASES["default"]["NAME"]
    return f"check that {path} and its folder can be written, and that its disk has room"


def broker_remedy() -> str:
    if settings.HAS_OWN_REDIS:
        return "it runs while `make run` does; start that, or set REDIS_URL to a Redis that is running"
    return (
        "start the Redis that REDIS_URL names, and check its address and password: "
        'redis-cli -u "$REDIS_URL" ping'
    )


REMEDIES = {
    "database": database_remedy,
    "broker": broker_remedy,
    "disk": lambda: (
        f"make room on the disk of {settings.DATA_DIR}, or move the folder and set CONCUR_DATA_DIR; "
        "`build-cache/` in it can be deleted at any time"
    ),
    "workers": lambda: (
        "start the site's worker (manage.py sweep) and a worker that verifies (make worker); both run "
        "with `make run`"
    ),
}


def tables() -> Iterator[Problem]:
    part = checks.tables()
    if part.status == Status.FAILED:
        yield Problem(part.sentence, fatal=True)


def clocks() -> Iterator[Problem]:
    """Compare this machine's clock with those of the database and the hosts; leases and signatures rest on them."""
    if connection.vendor == "postgresql":
        began = time.time()
        with connection.cursor() as cursor:
            cursor.execute("SELECT extract(epoch FROM clock_timestamp())")
            ahead = float(cursor.fetchone()[0]) - (began + time.time()) / 2
        yield from clock_problem("the database server", ahead)
    for state in hosts.states():
        if state.is_skewed and state.clock_skew is not None:
            yield from clock_problem(f"host {state.host.name}", state.clock_skew.total_seconds())


def broker_clock() -> Iterator[Problem]:
    began = time.time()
    seconds, microseconds = client().time()  # type: ignore[misc]
    yield from clock_problem("the broker", seconds + microseconds / 1e6 - (began + time.time()) / 2)


def clock_problem(whose: str, ahead: float) -> Iterator[Problem]:
    if abs(ahead) > CLOCK_SECONDS:
        direction = "ahead of" if ahead > 0 else "behind"
        yield Problem(
            f"The clock of {whose} is {abs(ahead):.0f} s {direction} this machine's: set both by NTP "
            "(timedatectl set-ntp true). Leases expire early, and signed messages are refused at ten minutes"
        )


def versions() -> Iterator[Problem]:
    """Name the hosts that are refused, or run an engine of another version than the site's."""
    for state in hosts.states():
        name = state.host.name
        reasons = state.refusals()
        for reason in reasons:
            yield Problem(f"Host {name} is refused: {reason}")
        if state.other_engines and not reasons:
            engines = ", ".join(engine[:40] for engine in state.other_engines)
            yield Problem(
                f"Host {name} runs the engine {engines}, which the site accepts and which is not its own: install the "
                "same version of this project there, so that all verdicts come from one engine"
            )


def problems(health: Report) -> list[Problem]:
    """Return everything that can be asked in this state: nothing of a database or a broker that is away."""
    found = list(remedies(health))
    if health.parts["database"].status != Status.FAILED:
        found += [problem for check in (tables, clocks, versions) for problem in guarded(check)]
    if health.parts["broker"].status == Status.OK:
        found += guarded(broker_clock)
    return found


def guarded(check: Callable[[], Iterator[Problem]]) -> list[Problem]:
    """Return what a check finds; that it failed, if it did."""
    try:
        return list(check())
    except Exception as error:
        return [Problem(f"The check of {check.__name__} failed: {type(error).__name__}")]
