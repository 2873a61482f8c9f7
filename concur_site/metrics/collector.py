"""Reads the state of the site at the time of a scrape. A part that fails or hangs is left out, and named."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator

from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily as Gauge
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from concur_site.health import report
from concur_site.health.part import Part, Status
from concur_site.health.report import Probe
from datasets_app.counters import files
from eval_app.operations import disks, hosts, jobs, queue
from eval_app.operations.alerts import rules, store

DEADLINE_SECONDS = 5.0  # Prometheus waits for ten by default
STATUS_NUMBERS = {Status.OK: 2, Status.DEGRADED: 1, Status.FAILED: 0}
log = logging.getLogger(__name__)


def queue_metrics() -> Iterator[Metric]:
    depth = Gauge("concur_queue_depth", "Verifications that wait", labels=["device", "priority"])
    age = Gauge("concur_queue_oldest_seconds", "Age of the oldest that waits", labels=["device", "priority"])
    now = timezone.now()
    for group in queue.waiting():
        labels = [group.device, group.priority.name.lower()]
        depth.add_metric(labels, group.count)
        age.add_metric(labels, group.seconds(now))
    running = Gauge("concur_running_verifications", "Verifications that run", labels=["device"])
    for device, count in queue.running().items():
        running.add_metric([device], count)
    yield from (depth, age, running)


def job_metrics() -> Iterator[Metric]:
    states = Gauge("concur_jobs", "Background jobs that are not finished", labels=["kind", "state"])
    failed = Gauge("concur_jobs_failed_last_day", "Background jobs that failed in a day", labels=["kind"])
    age = Gauge("concur_jobs_oldest_seconds", "Age of the oldest queued job", labels=["kind"])
    now = timezone.now()
    for job in jobs.counts():
        states.add_metric([job.kind, "queued"], job.queued)
        states.add_metric([job.kind, "running"], job.running)
        failed.add_metric([job.kind], job.failed)
        age.add_metric([job.kind], (now - job.oldest).total_seconds() if job.oldest else 0)
    yield from (states, failed, age)


def host_metrics() -> Iterator[Metric]:
    silent = Gauge("concur_host_silent_seconds", "Since a host's last message", labels=["host"])
    skew = Gauge("concur_host_clock_skew_seconds", "A host's clock ahead of the site's", labels=["host"])
    workers = Gauge("concur_workers", "Workers by their state", labels=["host", "state"])
    lanes = Gauge("concur_lanes", "Verifications that ready workers can run at once", labels=["host"])
    busy = Gauge("concur_lanes_busy", "Verifications that ready workers run", labels=["host"])
    devices = Gauge("concur_devices", "Devices of live workers", labels=["host", "kind", "state"])
    for state in hosts.states():
        name = state.host.name
        if state.silent_seconds is not None:
            silent.add_metric([name], state.silent_seconds)
        if state.clock_skew is not None:
            skew.add_metric([name], state.clock_skew.total_seconds())
        for word, count in state.worker_counts().items():
            workers.add_metric([name, word], count)
        lanes.add_metric([name], state.lanes)
        busy.add_metric([name], state.busy)
        for (kind, word), count in state.devices.items():
            devices.add_metric([name, kind, word], count)
    yield from (silent, skew, workers, lanes, busy, devices)


def disk_metrics() -> Iterator[Metric]:
    free = Gauge("concur_disk_free_bytes", "Free room of a disk", labels=["disk"])
    size = Gauge("concur_disk_size_bytes", "Size of a disk", labels=["disk"])
    for disk in disks.disks():
        free.add_metric([disk.name], disk.free_bytes)
        size.add_metric([disk.name], disk.size_bytes)
    yield from (free, size)
    yield Gauge("concur_database_bytes", "Size of the database", value=disks.database_bytes())


def health_metrics() -> Iterator[Metric]:
    parts = Gauge("concur_health", "2: well, 1: degraded, 0: failed", labels=["part"])
    found = report.current()
    for name, part in found.parts.items():
        parts.add_metric([name], STATUS_NUMBERS[part.status])
    yield parts
    swept = found.parts["workers"].numbers.get("seconds_since_last_sweep")
    if swept is not None:
        yield Gauge("concur_last_sweep_seconds", "Since the site's worker last swept", value=swept)


def alert_metrics() -> Iterator[Metric]:
    raised = Gauge("concur_alerts", "Alerts that are raised", labels=["rule"])
    counts = store.raised_counts()
    for rule in rules.NAMES:
        raised.add_metric([rule], counts.get(rule, 0))
    yield raised


PARTS: dict[str, Callable[[], Iterator[Metric]]] = {
    "queue": queue_metrics,
    "jobs": job_metrics,
    "hosts": host_metrics,
    "disks": disk_metrics,
    "health": health_metrics,
    "alerts": alert_metrics,
    "counters": lambda: iter(list(files.everything().collect())),
}


def everything() -> Part:
    """Read all parts, each on its own."""
    families: list[Metric] = []
    complete = Gauge("concur_scrape_complete", "1: this part could be read", labels=["part"])
    for name, read in PARTS.items():
        try:
            families += list(read())
            complete.add_metric([name], 1)
        except Exception:
            log.exception("The metrics of %s could not be read", name)
            complete.add_metric([name], 0)
    return Part(numbers={"families": [*families, complete]})


# At most one thread reads at a time, and what it read is good for a second, however many scrape.
probe = Probe("metrics", everything)


class Families(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self.families = families

    def collect(self) -> Iterable[Metric]:
        return self.families


def exposition() -> bytes:
    """Return all metrics as text; those of the state are missing if they cannot be read in time."""
    part = probe.answer(probe.start(), DEADLINE_SECONDS)
    registry = CollectorRegistry()
    if "families" in part.numbers:
        registry.register(Families(part.numbers["families"]))
    else:
        unread = Gauge("concur_scrape_complete", "1: this part could be read", labels=["part"])
        unread.add_metric(["all"], 0)
        registry.register(Families([unread]))
    return generate_latest(registry)
