"""The verify stage's verbs, and the only door between the site and the engine: Sample -> Job, JSON -> Report."""

import hashlib
import json
import uuid
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from django.db import transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import require_verification
from datasets_app.accounts.roles import Scope
from datasets_app.bulk.rows import insert_alike
from datasets_app.models import JobState, Language, Priority, Sample, Verification, WantedDevice
from datasets_app.models.querysets import SampleQuerySet
from eval_app.engine import (
    ADMISSION,
    ENGINE_VERSION,
    PROFILES,
    ContractError,
    Job,
    Outcome,
    Report,
    read_configs,
)
from eval_app.request.declared_configs import declared

__all__ = ["ADMISSION", "ENGINE_VERSION", "ContractError", "Outcome", "Report", "request_verification"]

Item = TypeVar("Item")
DEFAULT_PROFILE = "quick"
AUTO = "auto"
PROFILE_NAMES = list(PROFILES)
DEVICE_CHOICES = [AUTO, *WantedDevice.values]
NEEDS_CUDA = {Language.CUDA, Language.TRITON}
CHUNK = 500


class VerifyError(ValueError):
    """A request that cannot be granted; the text says what to ask for instead."""


# --- Sample -> Job, JSON -> Report --------------------------------------------------------------------


def job_for(sample: Sample, profile: str = DEFAULT_PROFILE, *, inspect: bool = False) -> dict[str, Any]:
    """The engine's job for a sample loaded with_body(), on all that its task is declared for.

    Raises ContractError for texts it cannot take. A column that only looks like configurations is none.
    """
    job = {
        "id": str(sample.pk),
        "reference": sample.task.body.pytorch_code,
        "candidate": sample.body.kernel_code,
        "language": sample.language,
        "profile": profile,
        "inspect": inspect,
    }
    found = declared({**sample.body.extra, **sample.task.body.extra})
    if "configs" in found and not are_configs(found["configs"]):
        del found["configs"]
    return Job.from_dict(job | found).to_dict()


def are_configs(given: Any) -> bool:
    """Whether the engine can read them; a source may call anything so."""
    try:
        read_configs(given)
    except ContractError:
        return False
    return True


def report_key(report: Report) -> str:
    """A hash of everything that the report says, so that the same report is known again."""
    text = json.dumps(report.to_dict(), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def site_report(sample_id: object, outcome: Outcome, detail: str) -> Report:
    """What the site itself has to say about a run that brought no report."""
    now = timezone.now().isoformat()
    return Report(
        id=str(sample_id), outcome=outcome, detail=storable(detail)[:8000], started_at=now, sandbox=""
    )


def storable(text: str) -> str:
    """Text without what no database takes, NUL and half surrogates: errors quote what others sent."""
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


# --- Asking ---------------------------------------------------------------------------------------------


def device_for(language: str, device: str = AUTO) -> str:
    """The kind of device that a kernel waits for: what was asked, else what its language needs."""
    if device != AUTO:
        return device
    return WantedDevice.CUDA if language in NEEDS_CUDA else WantedDevice.CPU


@needs(Scope.ANNOTATE)
def request_verification(
    samples: SampleQuerySet | Iterable[Sample],
    profile: str = DEFAULT_PROFILE,
    device: str = AUTO,
    *,
    actor: Actor,
    inspect: bool = False,
    batch: uuid.UUID | None = None,
    priority: Priority | None = None,
    send: bool = True,
) -> list[Verification]:
    """Ask for one verification a sample, in the samples' order; what waits or runs already is returned, not doubled.

    With `inspect` the engine also looks inside the kernel. `batch` ties them to others that are asked for in parts;
    `priority` is then that of the whole. Rows that already wait are raised to the priority of this request.
    The messages go out after the commit, as there is room for them. `send=False` leaves the rows to a caller that
    runs them itself.
    Raises VerifyError for an unknown profile or device, PermissionDenied for an actor without the right.
    """
    check_request(profile, device)
    wanted = [(pk, device_for(language, device)) for pk, language in keys(samples)]
    batch = batch or (uuid.uuid4() if len(wanted) > 1 else None)
    priority = Priority.of(len(wanted)) if priority is None else priority
    blank = {
        "profile": profile,
        "inspect": inspect,
        "requested_by": actor.user,
        "batch": batch,
        "priority": priority,
    }
    with transaction.atomic(savepoint=False):
        rows, new = [], []
        for part in chunks(wanted, CHUNK):
            found, added = waiting_or_new(part, blank)
            rows += found
            new += added
        if new:
            audit.record(
                actor, "verification.request", new[0], count=len(new), profile=profile, device=device
            )
        to_send = [row.pk for row in new] + hasten(rows, priority)
        if to_send and send:
            transaction.on_commit(lambda: send_soon(to_send))
    return rows


def check_request(profile: str, device: str) -> None:
    if profile not in PROFILES:
        raise VerifyError(f"There is no profile {profile!r}; choose one of: {', '.join(PROFILE_NAMES)}.")
    if device not in DEVICE_CHOICES:
        raise VerifyError(f"There is no device {device!r}; choose one of: {', '.join(DEVICE_CHOICES)}.")


def keys(samples: SampleQuerySet | Iterable[Sample]) -> list[tuple[uuid.UUID, str]]:
    """Id and language of each sample, each once, without reading a body."""
    if isinstance(samples, SampleQuerySet):
        return list(samples.values_list("pk", "language"))
    return list(dict.fromkeys((sample.pk, sample.language) for sample in samples))


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    iterator = iter(items)
    while part := list(islice(iterator, size)):
        yield part


def waiting_or_new(
    wanted: list[tuple[uuid.UUID, str]], blank: dict[str, Any]
) -> tuple[list[Verification], list[Verification]]:
    """One unfinished row for each wanted sample and device, and those of them that are new.

    The database's own constraint decides: whoever asks second finds the first one's row.
    """
    fresh = {key: Verification(sample_id=key[0], wanted_device=key[1], attempt=1, **blank) for key in wanted}
    ours = {row.pk: row for row in fresh.values()}
    found: dict[tuple[uuid.UUID, str], uuid.UUID] = {}
    while missing := [row for key, row in fresh.items() if key not in found]:
        insert_alike(missing, own=("id", "sample_id", "wanted_device"))
        unfinished = Verification.objects.unfinished().filter(
            sample__in=[row.sample_id for row in missing], profile=blank["profile"], inspect=blank["inspect"]
        )
        found |= {
            (sample, kind): pk
            for pk, sample, kind in unfinished.values_list("pk", "sample_id", "wanted_device")
        }
    others = Verification.objects.in_bulk([pk for pk in found.values() if pk not in ours])
    rows = [ours.get(found[key]) or others[found[key]] for key in wanted]
    return rows, [row for row in rows if row.pk in ours]


def hasten(rows: list[Verification], priority: Priority) -> list[uuid.UUID]:
    """Raise the priority of queued rows, and return those raised; a message that was already sent is ignored."""
    late = [row.pk for row in rows if row.priority > priority and row.state == JobState.QUEUED]
    for part in chunks(late, CHUNK):
        waiting = Verification.objects.waiting().filter(pk__in=part, priority__gt=priority)
        waiting.update(priority=priority, sent_at=None)
    return late


def send_soon(ids: list[uuid.UUID]) -> None:
    """Send the messages of new rows: a few now, many from a site worker so that the page need not wait."""
    from eval_app.queue import dispatch

    dispatch.send_after_commit(ids)


# --- Taking back ------------------------------------------------------------------------------------------


@needs(Scope.ANNOTATE)
def cancel(verification: Verification, actor: Actor) -> bool:
    """Take back one that still waits. False if a worker has it already or it is finished."""
    from eval_app.queue import dispatch

    require_verification(actor, verification.requested_by_id)
    with transaction.atomic():
        waiting = Verification.objects.waiting().filter(pk=verification.pk)
        if not waiting.update(
            state=JobState.FAILED,
            finished_at=timezone.now(),
            error=f"Cancelled by {actor.name} while it waited.",
        ):
            return False
        audit.record(actor, "verification.cancel", verification)
        transaction.on_commit(lambda: dispatch.forget(verification.pk, verification.attempt))
    return True


@needs(Scope.ANNOTATE)
def cancel_batch(
    batch: uuid.UUID, samples: Iterable[uuid.UUID], priority: Priority, actor: Actor
) -> list[uuid.UUID]:
    """Cancel the rows of a batch that still wait at its priority, and return their samples; unsent rows are deleted.

    A row that was since requested at a higher priority belongs to that request and stays.
    """
    from eval_app.queue import dispatch

    now = timezone.now()
    with transaction.atomic(savepoint=False):
        rows = Verification.objects.filter(batch=batch, priority=priority, sample__in=list(samples))
        rows.waiting().update(
            state=JobState.FAILED, finished_at=now, error=f"Taken back by {actor.name} while it waited."
        )
        taken = list(rows.filter(state=JobState.FAILED, finished_at=now))
        sent = [(row.pk, row.attempt) for row in taken if row.sent_at]
        if sent:
            transaction.on_commit(lambda: dispatch.forget_all(sent))
    return [row.sample_id for row in taken]


@needs(Scope.ANNOTATE)
def retry(verifications: Iterable[Verification], actor: Actor) -> list[Verification]:
    """Ask again for what these rows asked for: same sample, profile, kind of device, and as deep a look."""
    wishes: dict[tuple[str, str, bool], list[Sample]] = {}
    for row in verifications:
        wishes.setdefault((row.profile, row.wanted_device, row.inspect), []).append(row.sample)
    rows: list[Verification] = []
    for (profile, device, inspect), samples in wishes.items():
        rows += request_verification(samples, profile, device, actor=actor, inspect=inspect)
    return rows
