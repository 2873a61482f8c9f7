"""The counters and histograms, and the functions that count. No label takes a value that a stranger chooses."""

from __future__ import annotations

import os
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram

REGISTRY = CollectorRegistry()
PAGE_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
STAGE_BUCKETS = (0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 180.0, 600.0)
# Those of the engine's reports; a host may send others.
STAGES = {
    "waited", "build", "restart", "fork", "prepare", "load", "reference", "admission", "correctness", "beyond",
    "timing", "orders", "sweep", "baselines", "trace", "kernelbench", "inspect", "source_lines", "teardown", "total",
}  # fmt: skip
OTHER = "other"
MOST_PAIRS = 1000  # of route and status, so that the file of a process never outgrows what is reserved for it

# The help is a part of every key in a process's file, so it is short.
PAGE_SECONDS = Histogram(
    "concur_page_seconds",
    "Seconds to answer a request",
    ["route", "status"],
    buckets=PAGE_BUCKETS,
    registry=REGISTRY,
)
REFUSED = Counter(
    "concur_refused_requests", "Requests refused because a queue was full", ["program"], registry=REGISTRY
)
FINISHED = Counter(
    "concur_finished_verifications",
    "Verifications that a worker finished",
    ["device", "outcome"],
    registry=REGISTRY,
)
STAGE_SECONDS = Histogram(
    "concur_stage_seconds",
    "Seconds of a stage",
    ["device", "stage"],
    buckets=STAGE_BUCKETS,
    registry=REGISTRY,
)
LOGGED_ERRORS = Counter("concur_logged_errors", "Errors in the log", ["program"], registry=REGISTRY)

_pairs: set[tuple[str, str]] = set()
_counting_process = os.getpid()
_program = "other"


def begin(program: str) -> None:
    """Count for this program in this process; a child that is forked from it counts nothing."""
    global _counting_process, _program
    _counting_process, _program = os.getpid(), program


def counts_here() -> bool:
    return os.getpid() == _counting_process


def page(route: str, status: int, seconds: float) -> None:
    """Count an answered request by the name of its route."""
    if not counts_here():
        return
    pair = (route, str(status))
    if pair not in _pairs:
        if len(_pairs) >= MOST_PAIRS:
            pair = (OTHER, OTHER)
        _pairs.add(pair)
    PAGE_SECONDS.labels(*pair).observe(seconds)


def refused_request() -> None:
    """Count a request that was answered 503 because too many waited."""
    if counts_here():
        REFUSED.labels(_program).inc()


def finished_verification(device: str, outcome: str, seconds: Mapping[str, float]) -> None:
    """Count a verification that a worker finished on a kind of device, with the seconds of its stages."""
    if not counts_here():
        return
    FINISHED.labels(device, outcome).inc()
    for stage, spent_s in seconds.items():
        if stage in STAGES:
            STAGE_SECONDS.labels(device, stage).observe(spent_s)


def logged_error() -> None:
    if counts_here():
        LOGGED_ERRORS.labels(_program).inc()
