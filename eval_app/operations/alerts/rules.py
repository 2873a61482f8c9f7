"""The rules. Each yields a subject and a sentence for everything that is wrong now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.timesince import timesince

from datasets_app.browse.formats import time_span
from datasets_app.models import WantedDevice
from eval_app.operations import disks, finished, hosts, jobs, queue
from eval_app.operations.alerts.page_errors import PageErrors
from eval_app.workers.fleet import Fleet

WAITED = timedelta(minutes=1)  # a worker that restarts is back by then
FORGOTTEN = timedelta(days=7)  # a worker that is silent for longer is no news
FEWEST_RUNS = 10
FEWEST_REQUESTS = 20


@dataclass(frozen=True)
class Fault:
    subject: str
    sentence: str


def no_worker(pages: PageErrors) -> Iterator[Fault]:
    """Find devices for which verifications wait and no worker is ready."""
    fleet = Fleet.read()
    for device, count, oldest in waiting_by_device():
        if oldest is not None and fleet.now - oldest > WAITED and not fleet.takes(device):
            label = WantedDevice(device).label
            yield Fault(device, f"{count:,} verifications wait for {label}: {fleet.waits_for(device)}.")


def old_job(pages: PageErrors) -> Iterator[Fault]:
    """Find devices whose oldest waiting verification is too old."""
    most, now = timedelta(minutes=settings.ALERT_QUEUE_MINUTES), timezone.now()
    for device, count, oldest in waiting_by_device():
        if oldest is not None and now - oldest > most:
            label = WantedDevice(device).label
            yield Fault(
                device, f"{count:,} verifications wait for {label}, the oldest for {timesince(oldest, now)}."
            )


def disk_nearly_full(pages: PageErrors) -> Iterator[Fault]:
    for disk in disks.disks():
        if disk.free_bytes < settings.ALERT_DISK_BYTES:
            free = filesizeformat(disk.free_bytes).replace("\xa0", " ")
            yield Fault(disk.name, f"The disk of the {disk.name} folder {disk.folder} has {free} left.")


def host_unhealthy(pages: PageErrors) -> Iterator[Fault]:
    for state in hosts.states():
        if reasons := unhealthy_reasons(state):
            yield Fault(state.host.name, f"Host {state.host.name}: {'; '.join(reasons)}."[:500])


def unhealthy_reasons(state: hosts.HostState) -> list[str]:
    """Return what is wrong with a host that answers."""
    reasons = [f"refused, {reason}" for reason in state.refusals()]
    if state.unhealthy:
        reasons.append(f"{len(state.unhealthy)} of its workers failed the self-test")
    if state.broken_devices:
        reasons.append(f"{state.broken_devices} of its devices are broken")
    if state.is_skewed and state.clock_skew is not None:
        seconds = state.clock_skew.total_seconds()
        reasons.append(f"its clock is {abs(seconds):.0f} s {'ahead' if seconds > 0 else 'behind'}")
    return reasons


def host_away(pages: PageErrors) -> Iterator[Fault]:
    """Find hosts that fell silent without having been stopped, within the last week."""
    for state in hosts.states():
        last = max((worker.seen_at for worker in state.away), default=None)
        if last is not None and not state.alive and state.now - last < FORGOTTEN:
            name = state.host.name
            yield Fault(
                name, f"Host {name} has been silent for {time_span((state.now - last).total_seconds())}."
            )


def failed_jobs(pages: PageErrors) -> Iterator[Fault]:
    """Find kinds of jobs that failed within a day. Ingests are left out: mostly a file is at fault, and its page says
    so.
    """
    for job in jobs.counts():
        if job.failed and job.kind != "ingest":
            yield Fault(job.kind, f"Failed within a day: {job.failed:,} jobs of the kind {job.kind}.")


def infra_errors(pages: PageErrors) -> Iterator[Fault]:
    counts = finished.outcomes_since(timezone.now() - timedelta(hours=1))
    total, failed = sum(counts.values()), counts.get("infra_error", 0)
    if total >= FEWEST_RUNS and 100 * failed > settings.ALERT_ERROR_PERCENT * total:
        yield Fault("", f"{failed:,} of the last hour's {total:,} verifications ended as infra_error.")


def page_errors(pages: PageErrors) -> Iterator[Fault]:
    total, failed = pages.recent()
    if total >= FEWEST_REQUESTS and 100 * failed > settings.ALERT_ERROR_PERCENT * total:
        minutes = int(pages.WINDOW_SECONDS // 60)
        yield Fault("", f"{failed:,} of the last {minutes} minutes' {total:,} requests were answered 5xx.")


def waiting_by_device() -> Iterator[tuple[str, int, datetime | None]]:
    """Yield (device, number of waiting verifications, moment of the oldest)."""
    groups = queue.waiting()
    for device in WantedDevice.values:
        mine = [group for group in groups if group.device == device]
        oldest = min((group.oldest for group in mine if group.oldest), default=None)
        yield device, sum(group.count for group in mine), oldest


RULES: dict[str, Callable[[PageErrors], Iterator[Fault]]] = {
    rule.__name__: rule
    for rule in (
        no_worker,
        old_job,
        disk_nearly_full,
        host_unhealthy,
        host_away,
        failed_jobs,
        infra_errors,
        page_errors,
    )
}
NAMES = tuple(RULES)
TITLES = {
    "no_worker": "No ready worker while verifications wait",
    "old_job": "A verification has waited for too long",
    "disk_nearly_full": "A disk is nearly full",
    "host_unhealthy": "A host is unhealthy or refused",
    "host_away": "A host has fallen silent",
    "failed_jobs": "Background jobs failed",
    "infra_errors": "Many verifications fail on our side",
    "page_errors": "Many requests are answered 5xx",
}
