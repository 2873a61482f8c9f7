"""What a host sends, and whether it counts: its key, its version, its order, then the row that it speaks of.

A report or a row given back is bound to verification, attempt and nonce, and counts from the holder of the lease: sent
again it changes nothing, and it may be days old. A heartbeat or an announcement says how things are now, so it carries
a number that grows and the host's clock: an older one, or one that somebody held back, is refused.
"""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from datasets_app.models import Verification
from eval_app.broker.messages import envelope, site_key
from eval_app.broker.messages.keys import LABEL, public_key, worker_name
from eval_app.broker.messages.notices import send_notice
from eval_app.broker.messages.versions import engine_refusal, protocol_refusal
from eval_app.models import Host, Worker
from eval_app.queue import dispatch, leases
from eval_app.request.verify import storable
from eval_app.results.record import record_report

log = logging.getLogger(__name__)
CLOCK_TOLERANCE = timedelta(minutes=10)
REFUSALS_PER_HOST = timedelta(seconds=20)  # a refusal is written down at most so often
MAX_RUNNING = 500  # rows in one heartbeat
MAX_WORKERS = 200  # of one host
MAX_SMALL_BYTES = 2**20  # of a message that is no report
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class RefusedError(Exception):
    """A message that does not count. `serious`: the host itself is refused, and should know."""

    def __init__(self, reason: str, serious: bool = False) -> None:
        super().__init__(reason)
        self.serious = serious


@dataclass(frozen=True)
class Message:
    """One message whose signature is right."""

    host: Host
    head: dict[str, Any]
    content: Any

    @property
    def worker(self) -> str:
        return worker_name(self.host.name, self.head["worker"])

    @property
    def row(self) -> tuple[str, int]:
        """The verification and attempt that it speaks of, if it knows their nonce."""
        return known_row(self.head)


def receive(host_name: str, raw: bytes) -> bool:
    """Act on what came out of a host's list. False if it was refused. Raises only what the database raises."""
    host = Host.objects.filter(name=host_name).first()
    if host is None:
        log.warning("Dropped a message of %r, which is no host of this site", host_name)
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
    """Raises RefusedError for bytes that this host's key did not sign."""
    try:
        head, content = envelope.unpack(raw, public_key(bytes.fromhex(host.public_key)))
    except envelope.ProtocolError as error:
        raise RefusedError(protocol_refusal(error.version)) from error
    except envelope.EnvelopeError as error:
        raise RefusedError(f"a message in its list was dropped: {error}") from error
    if head.get("host") != host.name or not LABEL.fullmatch(str(head.get("worker", ""))):
        raise RefusedError("a message in its list is signed for another host")
    if head.get("purpose") != "report" and len(raw) > MAX_SMALL_BYTES:
        raise RefusedError(f"a message of it has {len(raw):,} bytes")
    return Message(host, head, content)


def handle(message: Message) -> None:
    """Raises RefusedError."""
    if message.host.revoked_at:
        raise RefusedError("its key is revoked: give it a new one with `manage.py host rotate`", serious=True)
    action = ACTIONS.get(str(message.head.get("purpose")))
    if action is None:
        raise RefusedError("it sent a message of an unknown purpose")
    try:
        with transaction.atomic():
            action(message)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise RefusedError(f"a message of it cannot be read: {error!r}") from error
    Host.objects.filter(pk=message.host.pk).update(seen_at=timezone.now(), **accepted(message.host))


def accepted(host: Host) -> dict[str, Any]:
    return {"refusal": ""} if host.refusal else {}


def refuse(host: Host, reason: str) -> None:
    """Write a refusal down for the pages and the log, but not for each of a flood."""
    now = timezone.now()
    if host.refusal and host.refused_at and now - host.refused_at < REFUSALS_PER_HOST:
        return
    text = storable(reason)[:500]
    log.warning("Host %s: %s", host.name, text)
    Host.objects.filter(pk=host.pk).update(refusal=text, refused_at=now)


# --- What a message may say ---------------------------------------------------------------------------------------


def announce(message: Message) -> None:
    """A worker says what it is and how it is, and gets an answer."""
    facts = checked_facts(message.content)
    if reason := engine_refusal(str(facts.get("versions", {}).get("engine", ""))):
        raise RefusedError(reason, serious=True)
    note_order(message)
    leases.announce(message.worker, facts, message.host)
    send_notice(message.host.name, message.head, "")


def heartbeat(message: Message) -> None:
    """A worker is alive and has these rows."""
    note_order(message)
    if not isinstance(message.content, list) or len(message.content) > MAX_RUNNING:
        raise RefusedError("its heartbeat is no list of verifications")
    running = {known_row(item)[0]: item for item in message.content}
    mine = Verification.objects.filter(pk__in=list(running), wanted_device__in=message.host.kinds)
    allowed = [str(pk) for pk in mine.values_list("pk", flat=True)]
    leases.renew(message.worker, [running[pk] for pk in allowed])


def report(message: Message) -> None:
    """A worker has finished a row, and there is room for the next ones."""
    pk, attempt = message.row
    check_kind(message.host, pk)
    record_report(pk, attempt, message.content, message.worker)
    transaction.on_commit(dispatch.fill_all)


def give_back(message: Message) -> None:
    """A worker that stops hands a row on."""
    pk, attempt = message.row
    check_kind(message.host, pk)
    leases.give_back(pk, attempt, message.worker)


ACTIONS: dict[str, Callable[[Message], None]] = {
    "announce": announce,
    "heartbeat": heartbeat,
    "report": report,
    "give_back": give_back,
}


# --- What is checked ------------------------------------------------------------------------------------------------


def known_row(item: dict[str, Any]) -> tuple[str, int]:
    """Raises RefusedError for a row whose job the sender did not get."""
    pk, attempt = str(item["verification"]), item["attempt"]
    if not UUID.fullmatch(pk) or type(attempt) is not int or not 0 < attempt < 2**31:
        raise RefusedError("it names no verification")
    if not site_key.knows_nonce(item.get("nonce"), pk, attempt):
        raise RefusedError(f"it does not know the nonce of {pk}, attempt {attempt}")
    return pk, attempt


def check_kind(host: Host, pk: str) -> None:
    wanted = Verification.objects.filter(pk=pk).values_list("wanted_device", flat=True).first()
    if wanted is not None and wanted not in host.kinds:
        raise RefusedError(f"it may serve {' and '.join(host.kinds)} only, and {pk} waits for {wanted}")


def note_order(message: Message) -> None:
    """Raises RefusedError for a message that is not newer than the newest of its worker, or not of about now."""
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
            "a message is not newer than one before it: a replay, or two machines under one name"
        )


def add_worker(message: Message) -> None:
    """Raises RefusedError for a host that makes up ever new names."""
    if message.host.workers.count() >= MAX_WORKERS:
        raise RefusedError(f"it has {MAX_WORKERS} workers; delete old ones in the admin")
    Worker.objects.create(name=message.worker, host=message.host, seen_at=timezone.now())


def checked_facts(content: Any) -> dict[str, Any]:
    """Return what a worker says of itself, in the types that pages expect. Raises ValueError, TypeError or KeyError."""
    facts = {
        "state": Worker.State(content["state"]).value,
        "healthy": content["state"] == Worker.State.READY,
        "health_detail": text(content.get("health_detail"), 8000),
        "sandbox": text(content.get("sandbox"), 20),
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
    return storable(str("" if value is None else value))[:length]


def small(value: Any) -> int:
    return max(0, min(int(value), 32_000))
