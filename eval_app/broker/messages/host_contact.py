"""Whether the site has heard its hosts for long enough to take a lease away.

A lease that ran out while this process slept, or while the broker was away, says nothing of the host: its heartbeats
and its report are on their way. They count from the holder of the lease alone, so the lease must not end before they
were read.
"""

import time

from django.conf import settings

from eval_app.broker.messages.keys import inbound_list
from eval_app.models import Host
from eval_app.queue import dispatch

MOST_PATIENCE_SECONDS = 600.0  # a host that never stops writing must not keep the others' leases for ever


class HostContact:
    """Asked before each sweep; remembers since when every question was answered in time."""

    def __init__(self) -> None:
        self.since = self.asked_at = time.time()
        self.first_doubt: float | None = None

    def steady(self) -> bool:
        """Return whether the broker has answered, and what hosts sent was read, for half a lease without a gap."""
        # Of the wall clock, since the monotonic one stands still while the machine is suspended.
        now, patience = time.time(), settings.LEASE_SECONDS / 2
        gap = abs(now - self.asked_at) > settings.SWEEP_SECONDS + patience
        self.asked_at = now
        if gap or self.in_doubt(now):
            self.since = now
        return now - self.since >= patience

    def in_doubt(self, now: float) -> bool:
        """Return whether messages of hosts may be unread; for some minutes at most, unless the broker is away."""
        try:
            unread = self.unread()
        except dispatch.BROKER_ERRORS:
            self.first_doubt = None
            return True
        if not unread:
            self.first_doubt = None
            return False
        self.first_doubt = self.first_doubt or now
        return now - self.first_doubt < MOST_PATIENCE_SECONDS

    def unread(self) -> bool:
        """Return whether more waits in the hosts' lists than the inbox reads in a moment."""
        names = list(Host.objects.filter(revoked_at=None).values_list("name", flat=True))
        with dispatch.broker().pipeline(transaction=False) as pipe:
            for name in names:
                pipe.llen(inbound_list(name))
            return sum(pipe.execute()) > 10 * len(names)
