"""The four checks. Each may block on what it checks: `report` runs them with a deadline."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from concur_site.data_folder import COMMAND, START
from concur_site.health.part import Part, Status
from datasets_app import disk_space
from datasets_app.broker import BROKER_ERRORS, circuit, client
from eval_app.site_worker.sweeper import seconds_since_last_sweep
from eval_app.workers.fleet import Fleet

LOW_BYTES = 2 * 2**30
SWEEPS_MISSED = 6
NO_TABLES = f"The database has no tables yet: run `{COMMAND} prepare`, which makes them, or `{START}`."
OLD_TABLES = f"The database's tables are older than this version: run `{COMMAND} migrate`."


def database() -> Part:
    """Check that the database answers, and had room for recent writes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    if disk_space.was_refused_lately():
        return Part(Status.FAILED, "The database's disk is full: nothing can be stored.")
    return Part()


_tables_are_current = False


def tables() -> Part:
    """Check that every migration of this version is applied. Once that is so, it is not asked again."""
    global _tables_are_current
    if not _tables_are_current:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return Part(Status.FAILED, OLD_TABLES if executor.loader.applied_migrations else NO_TABLES)
        _tables_are_current = True
    return Part()


def disk() -> Part:
    """Check that a file can be written in the data folder, and how much space is left."""
    free = disk_space.data_disk().free_bytes
    numbers = {"free_bytes": free}
    where = f"The data folder is {settings.DATA_DIR}."
    try:
        disk_space.try_to_write()
    except OSError as error:
        sentence = "Nothing can be stored: the disk is full or not writable."
        return Part(Status.FAILED, sentence, numbers, f"{where} {error}")
    if free < LOW_BYTES:
        return Part(Status.DEGRADED, "The disk is nearly full.", numbers, where)
    return Part(numbers=numbers, detail=where)


NO_WORKER = "No worker accepts verifications: requested ones wait."
TESTING = "A worker runs its self-test: verifications wait for a minute or two."


def broker() -> Part:
    """Check that Redis answers and accepts work."""
    try:
        with circuit.attempt():
            client().ping()
    except BROKER_ERRORS as error:
        sentence = "The broker does not answer: requested work waits in the database and is not lost."
        return Part(Status.DEGRADED, sentence, detail=str(error))
    return Part()


def workers() -> Part:
    """Check the number of workers per kind of device, and when the site's own worker last swept."""
    fleet = Fleet.read()
    ready = Counter(kind for worker in fleet.accepting for kind in worker.queues)
    numbers: dict[str, Any] = {"ready": dict(ready), "seconds_since_last_sweep": None}
    try:
        swept = numbers["seconds_since_last_sweep"] = seconds_since_last_sweep()
    except BROKER_ERRORS:
        sentence = "It is unknown whether the site's own worker runs, because the broker does not answer."
        return Part(Status.DEGRADED, sentence, numbers)
    if swept is None or swept > max(30, SWEEPS_MISSED * settings.SWEEP_SECONDS):
        sentence = (
            "The site's own worker (`manage.py sweep`) is not running: ingests, releases and reports wait."
        )
        return Part(Status.DEGRADED, sentence, numbers)
    if not ready:
        return Part(Status.DEGRADED, TESTING if fleet.testing else NO_WORKER, numbers)
    return Part(numbers=numbers)
