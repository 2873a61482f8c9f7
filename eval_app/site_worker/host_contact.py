"""Contact with the hosts: whether it has been steady for long enough to end a lease.

A lease that expired while this process slept, or while the broker was unavailable, says nothing about the
host: its heartbeats and its report may be waiting. They only count from the holder of the lease, so the lease
must not end before they are read.
"""

import time

from django.conf import settings

from datasets_app.broker import BROKER_ERRORS, client
from eval_app.broker.messages.keys import inbound_list
from eval_app.models import Host

MOST_PATIENCE_SECONDS = 600.0  # a host that writes without pause must not preserve the others' leases forever


class HostContact:
    """Checked before each sweep; records since when every check succeeded in time."""

    def __init__(self) -> None:
        self.since = self.asked_at = time.time()
        self.first_doubt: float | None = None

    def steady(self) -> bool:
        """Return whether, for half a lease without a gap, the broker answered and the hosts' messages were read."""
        # Wall clock time, since the monotonic clock stops while the machine is suspended.
        now, patience = time.time(), settings.LEASE_SECONDS / 2
        gap = abs(now - self.asked_at) > settings.SWEEP_SECONDS + patience
        self.asked_at = now
        if gap or self.in_doubt(now):
            self.since = now
        return now - self.since >= patience

    def in_doubt(self, now: float) -> bool:
        """Return whether messages of hosts may be unread; for at most some minutes, unless the broker is
        unavailable."""
        try:
            unread = self.unread()
        except BROKER_ERRORS:
            self.first_doubt = None
            return True
        if not unread:
            self.first_doubt = None
            return False
        self.first_doubt = self.first_doubt or now
        return now - self.first_doubt < MOST_PATIENCE_SECONDS

    def unread(self) -> bool:
        """Return whether more messages wait in the hosts' lists than the inbox reads in a moment."""
        names = list(Host.objects.filter(revoked_at=None).values_list("name", flat=True))
        with client().pipeline(transaction=False) as pipe:
            for name in names:
                pipe.llen(inbound_list(name))
            return sum(pipe.execute()) > 10 * len(names)
