"""Slows down password guessing at the sign-in page. Failures are rows, so that all processes of the site count
together.

- A name at an address: after PAIR_FAILURES in a minute it waits until the oldest is a minute old.
- An address: after failures over SPRAY_NAMES different names it waits after each failure, for longer with each name.
- A name from any address: after NAME_FAILURES in an hour it waits after each failure, ever longer up to LONGEST_WAIT.
  It is never locked: flooding a name with guesses cannot keep its owner out.
- A browser that has signed in as a name before is a known device (a signed cookie): its failures are counted
  separately, and failures of others with that name or from its address do not delay it.

Each attempt is recorded before its password is checked, so that concurrent guesses count each other.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from datasets_app.models import LoginFailure

PAIR_FAILURES, PAIR_WINDOW = 5, timedelta(minutes=1)
SPRAY_NAMES, SPRAY_WINDOW = 10, timedelta(minutes=10)
NAME_FAILURES, NAME_WINDOW = 10, timedelta(hours=1)
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=2), timedelta(seconds=60)
LoginFailures = QuerySet[LoginFailure]


class BrakedError(Exception):
    """There were too many failures; `seconds` is the time to wait. The password was not checked."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Too many failed attempts. Try again in {seconds} s.")
        self.seconds = seconds


@dataclass(frozen=True)
class Attempt:
    """A name that is tried from an address. `device`: the number of a known device, empty for any other browser."""

    name: str
    address: str
    device: str = ""

    @classmethod
    def of(cls, name: str, address: str, device: str = "") -> "Attempt":
        return cls(name.lower()[:150], address[:45], device[:32])


def begin(attempt: Attempt) -> LoginFailure:
    """Record the attempt as failed and return its row, for `succeed`. Raises BrakedError, which records nothing."""
    forget_old()
    row = LoginFailure.objects.create(name=attempt.name, address=attempt.address, device=attempt.device)
    earlier = LoginFailure.objects.filter(pk__lt=row.pk)
    waits = [pair_wait(earlier, attempt)]
    if not attempt.device:
        waits += [spray_wait(earlier, attempt), name_wait(earlier, attempt)]
    if until := max(filter(None, waits), default=None):
        row.delete()
        raise BrakedError(max(1, round((until - timezone.now()).total_seconds())))
    return row


def succeed(row: LoginFailure) -> None:
    """Remove the attempt's record: the password was right."""
    LoginFailure.objects.filter(pk=row.pk).delete()


def pair_wait(earlier: LoginFailures, attempt: Attempt) -> datetime | None:
    """Return until when this name waits at this address, or on this known device, if at all."""
    now = timezone.now()
    where = Q(device=attempt.device) if attempt.device else Q(address=attempt.address, device="")
    recent = earlier.filter(where, name=attempt.name, at__gt=now - PAIR_WINDOW)
    times = list(recent.order_by("-at").values_list("at", flat=True)[:PAIR_FAILURES])
    return times[-1] + PAIR_WINDOW if len(times) == PAIR_FAILURES else None


def spray_wait(earlier: LoginFailures, attempt: Attempt) -> datetime | None:
    """Return until when this address waits for any name, if at all."""
    recent = earlier.filter(address=attempt.address, device="", at__gt=timezone.now() - SPRAY_WINDOW)
    # Reading is bounded: beyond this many names the wait does not grow.
    names = set(recent.values_list("name", flat=True).distinct()[: SPRAY_NAMES + 20])
    if len(names) < SPRAY_NAMES:
        return None
    return after_last(recent, len(names) - SPRAY_NAMES)


def name_wait(earlier: LoginFailures, attempt: Attempt) -> datetime | None:
    """Return until when this name waits from anywhere, if at all."""
    recent = earlier.filter(name=attempt.name, device="", at__gt=timezone.now() - NAME_WINDOW)
    failures = len(recent.values_list("pk")[: NAME_FAILURES + 20])
    if failures < NAME_FAILURES:
        return None
    return after_last(recent, failures - NAME_FAILURES)


def after_last(failures: LoginFailures, beyond: int) -> datetime | None:
    """Return the last failure plus a wait that doubles with each one beyond the limit; None if it is over."""
    last = failures.aggregate(last=Max("at"))["last"]
    until = last + min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(beyond, 20))
    return until if until > timezone.now() else None


def forget_old() -> None:
    longest = max(PAIR_WINDOW, SPRAY_WINDOW, NAME_WINDOW)
    LoginFailure.objects.filter(at__lte=timezone.now() - longest).delete()
