"""Create, cancel and retry verifications."""

import uuid
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import require_verification
from datasets_app.accounts.roles import Scope
from datasets_app.bulk.rows import insert_alike
from datasets_app.db.batched import batched
from datasets_app.models import JobState, Priority, Sample, Verification, WantedDevice
from datasets_app.models.sample import SampleQuerySet
from eval_app.attempts.drop_messages import drop_messages, drop_messages_of
from eval_app.engine import PROFILES
from eval_app.queue import dispatch
from eval_app.queue.routes import MOST_REQUIREMENTS, MOST_REQUIREMENTS_OF_ONE, waiting_requirements
from eval_app.request import batches
from eval_app.workers.requirement import Requirement, RequirementError

DEFAULT_PROFILE = "quick"
AUTO = "auto"
PROFILE_NAMES = list(PROFILES)
DEVICE_CHOICES = [AUTO, *WantedDevice.values]
CHUNK = 500


class VerifyError(ValueError):
    """A request that cannot be fulfilled; the message says what to request instead."""


# --- Requests -----------------------------------------------------------------------------------------------------


def device_for(language: str, device: str = AUTO) -> str:
    """Return the kind of device that a kernel needs: the requested one, else that of its language."""
    if device != AUTO:
        return device
    return WantedDevice.for_language(language)


@needs(Scope.ANNOTATE)
def request_verification(
    samples: SampleQuerySet | Iterable[Sample],
    profile: str = DEFAULT_PROFILE,
    device: str = AUTO,
    *,
    actor: Actor,
    inspect: bool = False,
    requires: str = "",
    batch: uuid.UUID | None = None,
    priority: Priority | None = None,
    title: str = "",
    send: bool = True,
) -> list[Verification]:
    """Request one verification per sample, in the samples' order. An unfinished one is returned instead of a second
    row.

    With `inspect` the engine also inspects the kernel. `requires` is what a host must have besides the kind of device
    (workers.requirement). `batch` ties rows together that are requested in parts;
    `priority` is then that of the whole. `title` names the batch, such as the query in words. Rows that are queued at a
    lower priority get this one. Messages are sent after the commit, as the send window allows; with `send=False` the
    caller runs the rows itself.

    Raises VerifyError for an unknown profile, device or requirement, PermissionDenied for an actor without the right.
    """
    requirement = check_request(profile, device, requires, actor)
    wanted = [(pk, device_for(language, device)) for pk, language in keys(samples)]
    batch = batch or (uuid.uuid4() if len(wanted) > 1 else None)
    priority = Priority.of(len(wanted)) if priority is None else priority
    blank = {
        "profile": profile,
        "inspect": inspect,
        "requirement": requirement,
        "requested_by": actor.user,
        "batch": batch,
        "priority": priority,
    }
    with transaction.atomic(savepoint=False):
        rows, new = [], []
        for part in batched(wanted, CHUNK):
            part_rows, added = waiting_or_new(part, blank)
            rows += part_rows
            new += added
        if new and batch:
            batches.store(batch, title or f"{len(wanted):,} samples", actor)
        if new:
            audit.record(
                actor, "verification.request", new[0], count=len(new), profile=profile, device=device
            )
        to_send = [row.pk for row in new] + hasten(rows, priority)
        if to_send and send:
            transaction.on_commit(lambda: dispatch.send_after_commit(to_send))
    return rows


def check_request(profile: str, device: str, requires: str, actor: Actor) -> str:
    """Return the requirement's canonical form. Raises VerifyError for an unknown profile, device or requirement, and
    for one more different requirement than may wait."""
    if profile not in PROFILES:
        raise VerifyError(f"There is no profile {profile!r}; choose one of: {', '.join(PROFILE_NAMES)}.")
    if device not in DEVICE_CHOICES:
        raise VerifyError(f"There is no device {device!r}; choose one of: {', '.join(DEVICE_CHOICES)}.")
    try:
        requirement = Requirement.read(requires).text
    except RequirementError as error:
        raise VerifyError(str(error)) from error
    if requirement:
        for kind in WantedDevice.values:
            check_room(kind, requirement, actor)
    return requirement


def check_room(kind: str, requirement: str, actor: Actor) -> None:
    """Raise VerifyError if this is another requirement than those that wait, and as many wait as may: of one person,
    so that others find room, or of all, as there can be queues for."""
    waiting = waiting_requirements(kind)
    if requirement in waiting:
        return
    if len(waiting) >= MOST_REQUIREMENTS:
        raise VerifyError(
            f"{MOST_REQUIREMENTS} different requirements wait already: use one of them, or wait until some are done."
        )
    if actor.user and len(waiting_requirements(kind, actor.user)) >= MOST_REQUIREMENTS_OF_ONE:
        raise VerifyError(
            f"{MOST_REQUIREMENTS_OF_ONE} different requirements of yours wait already: use one of them, "
            "or wait until some are done."
        )


def keys(samples: SampleQuerySet | Iterable[Sample]) -> list[tuple[uuid.UUID, str]]:
    """Return id and language of each sample, each once, without loading a body."""
    if isinstance(samples, SampleQuerySet):
        return list(samples.values_list("pk", "language"))
    return list(dict.fromkeys((sample.pk, sample.language) for sample in samples))


def waiting_or_new(
    wanted: list[tuple[uuid.UUID, str]], blank: dict[str, Any]
) -> tuple[list[Verification], list[Verification]]:
    """Return one unfinished row per wanted sample and device, and those of them that are new.

    A constraint in the database decides between simultaneous requests: the second one finds the first one's row.
    """
    fresh = {key: Verification(sample_id=key[0], wanted_device=key[1], attempt=1, **blank) for key in wanted}
    created = {row.pk: row for row in fresh.values()}
    row_ids: dict[tuple[uuid.UUID, str], uuid.UUID] = {}
    while missing := [row for key, row in fresh.items() if key not in row_ids]:
        insert_alike(missing, own=("id", "sample_id", "wanted_device"))
        unfinished = Verification.objects.unfinished().filter(
            sample__in=[row.sample_id for row in missing],
            **{name: blank[name] for name in ("profile", "inspect", "requirement")},
        )
        row_ids |= {
            (sample, kind): pk
            for pk, sample, kind in unfinished.values_list("pk", "sample_id", "wanted_device")
        }
    existing = Verification.objects.in_bulk([pk for pk in row_ids.values() if pk not in created])
    rows = [created.get(row_ids[key]) or existing[row_ids[key]] for key in wanted]
    return rows, [row for row in rows if row.pk in created]


def hasten(rows: list[Verification], priority: Priority) -> list[uuid.UUID]:
    """Move queued rows of a lower priority to this one; return their ids. Messages already sent are superseded."""
    late = [row.pk for row in rows if row.priority > priority and row.state == JobState.QUEUED]
    for part in batched(late, CHUNK):
        waiting = Verification.objects.waiting().filter(pk__in=part, priority__gt=priority)
        waiting.update(priority=priority, sent_at=None)
    return late


# --- Cancelling and repeating -------------------------------------------------------------------------------------


@needs(Scope.ANNOTATE)
def cancel(verification: Verification, actor: Actor) -> bool:
    """Cancel a queued verification. Return False if it is running or finished."""
    require_verification(actor, verification.requested_by_id)
    with transaction.atomic():
        waiting = Verification.objects.waiting().filter(pk=verification.pk)
        if not waiting.update(
            state=JobState.FAILED,
            finished_at=timezone.now(),
            error=f"Cancelled by {actor.name} while it was queued.",
        ):
            return False
        audit.record(actor, "verification.cancel", verification)
        transaction.on_commit(lambda: drop_messages(verification.pk, verification.attempt))
    return True


@needs(Scope.ANNOTATE)
def cancel_batch(
    batch: uuid.UUID, samples: Iterable[uuid.UUID], priority: Priority, actor: Actor
) -> list[uuid.UUID]:
    """Cancel the queued rows of a batch that still have its priority; return their samples.

    A row that somebody else requested since, at a higher priority, stays. Only rows whose message was sent involve the
    broker.
    """
    now = timezone.now()
    with transaction.atomic(savepoint=False):
        rows = Verification.objects.filter(batch=batch, priority=priority, sample__in=list(samples))
        rows.waiting().update(
            state=JobState.FAILED, finished_at=now, error=f"Cancelled by {actor.name} while it was queued."
        )
        taken = list(rows.filter(state=JobState.FAILED, finished_at=now))
        sent = [(row.pk, row.attempt) for row in taken if row.sent_at]
        if sent:
            transaction.on_commit(lambda: drop_messages_of(sent))
    return [row.of_sample for row in taken]


@needs(Scope.ANNOTATE)
def retry(verifications: Iterable[Verification], actor: Actor) -> list[Verification]:
    """Repeat these requests, all or none: same sample, profile, kind of device, requirement and inspection.

    Raises VerifyError for one that is not possible any more, such as a profile that only a report from a file names.
    """
    wishes: dict[tuple[str, str, bool, str], list[Sample]] = {}
    for row in verifications:
        wish = (row.profile, row.wanted_device, row.inspect, row.requirement)
        wishes.setdefault(wish, []).append(row.sample)
    rows: list[Verification] = []
    with transaction.atomic():
        for (profile, device, inspect, requires), samples in wishes.items():
            how: dict[str, Any] = {
                "inspect": inspect,
                "requires": requires,
                "title": f"{len(samples):,} samples again",
            }
            rows += request_verification(samples, profile, device, actor=actor, **how)
    return rows
