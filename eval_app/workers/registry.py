"""The hosts that may verify: add one, rotate its key, hold it, revoke it. Command, page and REST call these
functions."""

from collections.abc import Iterable

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import WantedDevice
from eval_app.broker.messages.keys import NAME, NAME_RULE, HostKey
from eval_app.models import Host
from eval_app.workers import site_key


class HostError(ValueError):
    """A request about a host that cannot be fulfilled; the message says what to do instead."""


@needs(Scope.ADMIN)
def add_host(name: str, kinds: Iterable[str] = (), *, actor: Actor) -> tuple[Host, str]:
    """Return a new host and the text of its key, which is not stored. Without kinds it may serve every kind
    of device."""
    if not NAME.fullmatch(name):
        raise HostError(f"{name!r} cannot be a host's name: use {NAME_RULE}.")
    key = HostKey.make(name, site_key.public_bytes())
    fields = {"kinds": checked_kinds(kinds), "created_by": actor.user, "public_key": key.public.hex()}
    try:
        with transaction.atomic():
            host = Host.objects.create(name=name, **fields)
            audit.record(actor, "host.add", host, name=name, kinds=host.kinds)
    except IntegrityError:
        raise HostError(
            f"There is a host {name!r} already: choose another name, or give it a new key: "
            f"manage.py host rotate {name}"
        ) from None
    return host, key.text


def checked_kinds(kinds: Iterable[str]) -> list[str]:
    """Return the kinds in their usual order; all if none is given. Raises HostError."""
    chosen = [kind.strip() for kind in kinds if kind.strip()] or list(WantedDevice.values)
    if unknown := set(chosen) - set(WantedDevice.values):
        choices = ", ".join(WantedDevice.values)
        raise HostError(f"Unknown kind of device: {', '.join(sorted(unknown))}. The kinds are: {choices}.")
    return [kind for kind in WantedDevice.values if kind in chosen]


@needs(Scope.ADMIN)
def hosts(*, actor: Actor) -> QuerySet[Host]:
    """Return all hosts with their workers."""
    return Host.objects.select_related("created_by").prefetch_related("workers")


@needs(Scope.ADMIN)
def rotate_key(name: str, *, actor: Actor) -> tuple[Host, str]:
    """Return the host and its new key; the previous one is invalid from now on. A revoked host is accepted again."""
    host = find_host(name)
    key = HostKey.make(name, site_key.public_bytes())
    host.public_key, host.revoked_at, host.refusal = key.public.hex(), None, ""
    with transaction.atomic():
        host.save(update_fields=["public_key", "revoked_at", "refusal"])
        audit.record(actor, "host.rotate", host, name=name)
    return host, key.text


@needs(Scope.ADMIN)
def revoke_host(name: str, *, actor: Actor) -> Host:
    """Reject everything that this host sends from now on. Its jobs are reassigned when their leases expire."""
    host = find_host(name)
    with transaction.atomic():
        if Host.objects.filter(pk=host.pk, revoked_at=None).update(revoked_at=timezone.now()):
            audit.record(actor, "host.revoke", host, name=name)
    host.refresh_from_db()
    return host


@needs(Scope.ADMIN)
def pause_host(name: str, *, actor: Actor) -> Host:
    """Have a host take nothing new and give back what it runs, so that its devices are free within seconds."""
    return hold(name, Host.Hold.PAUSED, actor)


@needs(Scope.ADMIN)
def drain_host(name: str, *, actor: Actor) -> Host:
    """Have a host take nothing new and finish what it runs."""
    return hold(name, Host.Hold.DRAINING, actor)


@needs(Scope.ADMIN)
def resume_host(name: str, *, actor: Actor) -> Host:
    """Have a paused or drained host take verifications again."""
    return hold(name, "", actor)


def hold(name: str, wanted: str, actor: Actor) -> Host:
    """Store a host's hold, which its workers learn with the answer to their next announcement. Raises HostError."""
    host = find_host(name)
    if host.revoked_at:
        raise HostError(
            f"{name} is revoked and takes nothing anyway: manage.py host rotate {name} lets it in again."
        )
    with transaction.atomic():
        rows = Host.objects.filter(pk=host.pk).exclude(hold=wanted)
        if rows.update(hold=wanted, held_at=timezone.now() if wanted else None):
            audit.record(actor, f"host.{VERBS[wanted]}", host, name=name)
    host.refresh_from_db()
    return host


VERBS = {Host.Hold.PAUSED: "pause", Host.Hold.DRAINING: "drain", "": "resume"}


def find_host(name: str) -> Host:
    """Return the host of that name. Raises HostError."""
    host = Host.objects.filter(name=name).first()
    if host is None:
        names = ", ".join(Host.objects.values_list("name", flat=True)[:20]) or "none yet"
        raise HostError(f"There is no host {name!r}. Known hosts: {names}.")
    return host
