"""Hosts for people: the state of each in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone

from eval_app.models import Host, Worker
from eval_app.models.host import ALIVE


@dataclass(frozen=True)
class HostState:
    """A host's state: revoked, refused, stopped, paused, draining, drained, accepted or unseen."""

    kind: str
    words: str

    @property
    def detail(self) -> str:
        """Return the words without the kind, which a badge names."""
        return self.words.removeprefix(self.kind).lstrip(": ")


def state_of(host: Host) -> HostState:
    """Return a host's state, by the announcements of its workers, which should be prefetched."""
    if host.revoked_at:
        return HostState("revoked", f"revoked {host.revoked_at:%Y-%m-%d}")
    if host.refusal:
        return HostState("refused", f"refused: {host.refusal}")
    if host.hold:
        return held_state(host)
    if reason := why_stopped(host):
        return HostState("stopped", f"its worker stopped: {reason}")
    if host.seen_at is None:
        return HostState("unseen", "not seen yet")
    return HostState("accepted", "accepted")


def held_state(host: Host) -> HostState:
    """Return how far a host has followed its hold. It is drained once each of its workers obeys and runs nothing."""
    since = f" since {host.held_at:%Y-%m-%d %H:%M}" if host.held_at else ""
    alive = alive_workers(host)
    busy = sum(worker.busy for worker in alive)
    if unaware := sum(worker.hold != host.hold for worker in alive):
        workers = "worker does" if unaware == 1 else "workers do"
        return HostState(host.hold, f"{host.hold}{since}; {unaware} {workers} not know it yet")
    if busy:
        what = "finishes" if host.hold == Host.Hold.DRAINING else "gives back"
        count = "1 verification" if busy == 1 else f"{busy} verifications"
        return HostState(host.hold, f"{host.hold}{since}; it {what} {count}")
    if host.hold == Host.Hold.DRAINING:
        return HostState("drained", f"drained: it runs nothing and takes nothing{since}")
    return HostState("paused", f"paused: it takes nothing{since}")


def alive_workers(host: Host) -> list[Worker]:
    now = timezone.now()
    workers = host.workers.all()
    return [one for one in workers if one.state != Worker.State.STOPPED and one.seen_at >= now - ALIVE]


def why_stopped(host: Host) -> str:
    """Return why the host's last worker stopped by itself, such as a site that it does not understand."""
    workers = list(host.workers.all())
    newest = max(workers, key=lambda worker: worker.seen_at, default=None)
    if (
        newest is None
        or newest.state != Worker.State.STOPPED
        or newest.health_detail in ("", "It was stopped.")
    ):
        return ""
    return newest.health_detail
