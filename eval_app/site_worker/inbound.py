"""Messages from hosts and whether they count: key, version, order, then the row concerned.

A report or a returned row is bound to verification, attempt and nonce, and counts from the holder of the
lease: repeated it changes nothing, and it may be days old. A heartbeat or an announcement describes the
present, so it carries an increasing number and the host's clock: an older or delayed one is refused.
"""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from datasets_app.log_context.context import on_job, verification_job
from datasets_app.models import Verification
from datasets_app.text_input.storable import storable
from eval_app.attempts import leases
from eval_app.broker.messages import envelope
from eval_app.broker.messages.keys import LABEL, public_key, worker_name
from eval_app.models import Host, Worker
from eval_app.queue import dispatch
from eval_app.queue.routes import Route, queues_of
from eval_app.results.record import record_report
from eval_app.results.versions import engine_refusal, protocol_refusal
from eval_app.site_worker import announcements
from eval_app.site_worker.notices import send_notice
from eval_app.workers import site_key

log = logging.getLogger(__name__)
CLOCK_TOLERANCE = timedelta(minutes=10)
REFUSALS_PER_HOST = timedelta(seconds=20)  # minimum interval between stored refusals
MAX_RUNNING = 500  # rows in one heartbeat
MAX_WORKERS = 200  # of one host
MAX_SMALL_BYTES = 2**20  # of a message other than a report
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class RefusedError(Exception):
    """A message that does not count. `serious` means that the host itself is refused, and is told."""

    def __init__(self, reason: str, serious: bool = False) -> None:
        super().__init__(reason)
        self.serious = serious


@dataclass(frozen=True)
class Message:
    """One message with a valid signature."""

    host: Host
    head: dict[str, Any]
    content: Any

    @property
    def worker(self) -> str:
        """Return the name of the worker that sent it, as far as a column holds it."""
        return worker_name(self.host.name, self.head["worker"])[: leases.WORKER_LENGTH]

    @property
    def row(self) -> tuple[str, int]:
        """Return the verification and attempt concerned. Raises RefusedError for a wrong nonce."""
        return known_row(self.head)


def receive(host_name: str, raw: bytes) -> bool:
    """Act on a message from a host's list; return False if it was refused. Raises only what the database raises."""
    host = Host.objects.filter(name=host_name).first()
    if host is None:
        log.warning("Dropped a message of %r, which is not a host of this site", host_name)
        return False
    message = None
    try:
        message = opened(host, raw)
        handle(message)
    except RefusedError as error:
        refuse(host, str(error))
        if message is not None and error.serious:
            send_notice(host.name, message.head, str(error))
        return False
    return True


def opened(host: Host, raw: bytes) -> Message:
    """Verify and open a message. Raises RefusedError if this host's key did not sign it."""
    try:
        head, content = envelope.unpack(raw, public_key(bytes.fromhex(host.public_key)))
    except envelope.ProtocolError as error:
        raise RefusedError(protocol_refusal(error.version)) from error
    except envelope.EnvelopeError as error:
        raise RefusedError(f"a message in its list was dropped: {error}") from error
    if head.get("host") != host.name or not LABEL.fullmatch(str(head.get("worker", ""))):
        raise RefusedError("a message in its list is signed for another host")
    if head.get("purpose") != "report" and len(raw) > MAX_SMALL_BYTES:
        raise RefusedError(f"it sent a message of {len(raw):,} bytes")
    return Message(host, head, content)


def handle(message: Message) -> None:
    """Act on a verified message. Raises RefusedError."""
    if message.host.revoked_at:
        raise RefusedError("its key is revoked: give it a new one with `manage.py host rotate`", serious=True)
    action = ACTIONS.get(str(message.head.get("purpose")))
    if action is None:
        raise RefusedError("it sent a message of an unknown purpose")
    try:
        with transaction.atomic():
            action(message)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise RefusedError(f"it sent an unreadable message: {error!r}") from error
    Host.objects.filter(pk=message.host.pk).update(seen_at=timezone.now(), **accepted(message.host))


def accepted(host: Host) -> dict[str, Any]:
    """Return the changes of a host after an accepted message."""
    return {"refusal": ""} if host.refusal else {}


def refuse(host: Host, reason: str) -> None:
    """Store and log a refusal, at most once per interval."""
    now = timezone.now()
    if host.refusal and host.refused_at and now - host.refused_at < REFUSALS_PER_HOST:
        return
    text = storable(reason)[:500]
    log.warning("Host %s: %s", host.name, text)
    Host.objects.filter(pk=host.pk).update(refusal=text, refused_at=now)


# --- Actions of messages ------------------------------------------------------------------------------------------


def announce(message: Message) -> None:
    """Record a worker's properties and state, and answer it."""
    facts = checked_facts(message.content)
    if reason := engine_refusal(str(facts.get("versions", {}).get("engine", ""))):
        raise RefusedError(reason, serious=True)
    note_order(message)
    worker = announcements.announce(message.worker, facts, message.host)
    send_notice(message.host.name, message.head, "", queues_of(worker), message.host.hold)


def heartbeat(message: Message) -> None:
    """Renew the leases of a worker's rows."""
    note_order(message)
    if not isinstance(message.content, list) or len(message.content) > MAX_RUNNING:
        raise RefusedError("its heartbeat is not a list of verifications")
    running = {known_row(item)[0]: item for item in message.content}
    mine = Verification.runs.filter(pk__in=list(running), wanted_device__in=message.host.kinds)
    allowed = [str(pk) for pk in mine.values_list("pk", flat=True)]
    leases.renew(message.worker, [running[pk] for pk in allowed])


def report(message: Message) -> None:
    """Record the report of a finished row, and send the next of its route."""
    pk, attempt = message.row
    with on_job(verification_job(pk, attempt)):
        route = checked_route(message.host, pk)
        record_report(pk, attempt, message.content, message.worker)
    if route is not None:
        transaction.on_commit(lambda: dispatch.fill_route(route))


def give_back(message: Message) -> None:
    """Requeue a row that a stopping worker returned."""
    pk, attempt = message.row
    with on_job(verification_job(pk, attempt)):
        checked_route(message.host, pk)
        if dispatch.give_back(pk, attempt, message.worker):
            log.info("%s gave it back", message.worker)


ACTIONS: dict[str, Callable[[Message], None]] = {
    "announce": announce,
    "heartbeat": heartbeat,
    "report": report,
    "give_back": give_back,
}


# --- Checks of messages -------------------------------------------------------------------------------------------


def known_row(item: dict[str, Any]) -> tuple[str, int]:
    """Return verification and attempt of a row. Raises RefusedError if the sender did not receive its job."""
    pk, attempt = str(item["verification"]), item["attempt"]
    if not UUID.fullmatch(pk) or type(attempt) is not int or not 0 < attempt < 2**31:
        raise RefusedError("it names no verification")
    if not site_key.knows_nonce(item.get("nonce"), pk, attempt):
        raise RefusedError(f"it does not know the nonce of {pk}, attempt {attempt}")
    return pk, attempt


def checked_route(host: Host, pk: str) -> Route | None:
    """Return the row's route, None for an unknown row. Raises RefusedError if the host may not serve its kind of
    device."""
    found = Verification.runs.filter(pk=pk).values_list("wanted_device", "requirement").first()
    if found is None:
        return None
    route = Route(*found)
    if route.device not in host.kinds:
        raise RefusedError(f"it may serve {' and '.join(host.kinds)} only, and {pk} waits for {route.device}")
    return route


def note_order(message: Message) -> None:
    """Record a message's number. Raises RefusedError if it is not newer than the worker's last, or not recent."""
    sequence = message.head["sequence"]
    if type(sequence) is not int or not 0 < sequence < 2**62:
        raise RefusedError("its message has no number")
    behind = timezone.now().timestamp() - sequence / 1_000_000
    if abs(behind) > CLOCK_TOLERANCE.total_seconds():
        raise RefusedError(
            f"its message is {abs(behind) / 60:.0f} minutes {'old' if behind > 0 else 'ahead of the site'}: "
            "either the site was asleep, or its clock is wrong (set it by NTP)",
            serious=behind < 0,
        )
    if not Worker.objects.filter(name=message.worker).exists():
        add_worker(message)
    if not Worker.objects.filter(name=message.worker, sequence__lt=sequence).update(sequence=sequence):
        raise RefusedError(
            "a message is not newer than its predecessor: a replay, or two machines with one name"
        )


def add_worker(message: Message) -> None:
    """Create a worker. Raises RefusedError if the host has too many."""
    if message.host.workers.count() >= MAX_WORKERS:
        raise RefusedError(f"it has {MAX_WORKERS} workers; delete old ones in the admin")
    Worker.objects.create(name=message.worker, host=message.host, seen_at=timezone.now())


def checked_facts(content: Any) -> dict[str, Any]:
    """Return a worker's properties in the types that pages expect. Raises ValueError, TypeError or KeyError."""
    facts = {
        "state": Worker.State(content["state"]).value,
        "healthy": content["state"] == Worker.State.READY,
        "health_detail": text(content.get("health_detail"), 8000),
        "sandbox": text(content.get("sandbox"), 20),
        "hold": text(content.get("hold"), 10),
        "queues": [text(kind, 10) for kind in content["queues"][:10]],
        "devices": [
            {text(name, 40): text(value, 1000) for name, value in dict(device).items()}
            for device in content["devices"][:64]
        ],
        "versions": {text(name, 40): text(value, 200) for name, value in dict(content["versions"]).items()},
        "lanes": small(content["lanes"]),
        "busy": small(content["busy"]),
    }
    if started := content.get("started_at"):
        facts["started_at"] = text(started, 40)
    return facts


def text(value: Any, length: int) -> str:
    """Return a value as storable text of limited length."""
    return storable(str("" if value is None else value))[:length]


def small(value: Any) -> int:
    """Return a count, clamped to a small integer."""
    return max(0, min(int(value), 32_000))
