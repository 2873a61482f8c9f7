"""Verification as a bulk verb: one batch per action."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.urls import reverse

from datasets_app.accounts.actor import Actor, account
from datasets_app.browse.query import BrowseFilter
from datasets_app.bulk import BulkError, UndoableVerb
from datasets_app.bulk.verb import samples
from datasets_app.models import BulkAction, Priority, Sample, Verification, WantedDevice
from eval_app.request import verify
from eval_app.workers.fleet import Fleet


class VerifySamples(UndoableVerb):
    """Verifies samples. Undo cancels the verifications that are still queued; running and finished ones stay."""

    name = "verify"
    title = "Verify"
    group = 250  # a row has some thirty columns and nine indexes
    facets = ()  # queued rows have no outcome yet

    def choices(self) -> dict[str, Any]:
        return {"profiles": verify.PROFILE_NAMES, "devices": verify.DEVICE_CHOICES}

    def prepare(self, actor: Actor, params: dict[str, Any]) -> dict[str, Any]:
        wanted = {
            "profile": params.get("profile") or verify.DEFAULT_PROFILE,
            "device": params.get("device") or verify.AUTO,
        }
        try:
            requirement = verify.check_request(
                wanted["profile"], wanted["device"], params.get("requires") or "", actor
            )
        except verify.VerifyError as error:
            raise BulkError(str(error)) from error
        more = {"requires": requirement, "inspect": params.get("inspect") in (True, "1")}
        return wanted | {name: value for name, value in more.items() if value}

    def apply(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        wanted = Sample.objects.filter(pk__in=ids).order_by("id")
        profile, device = bulk.params["profile"], bulk.params["device"]
        priority = Priority.of(bulk.total)
        rows = verify.request_verification(
            wanted,
            profile,
            device,
            actor=account(bulk.actor),
            inspect=bulk.params.get("inspect", False),
            requires=bulk.params.get("requires", ""),
            batch=bulk.pk,
            priority=priority,
            title=title_of(bulk),
        )
        return [row.of_sample for row in rows if row.batch == bulk.pk]

    def undo(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        return verify.cancel_batch(bulk.pk, ids, Priority.of(bulk.total), account(bulk.actor))

    def finish(self, bulk: BulkAction) -> dict[str, Any]:
        return {
            "url": f"{reverse('verify')}?batch={bulk.pk}",
            "link": "Follow the batch",
            "note": idle_note(bulk),
        }

    def did(self, bulk: BulkAction) -> str:
        waiting = bulk.total - bulk.changed if bulk.is_finished else 0
        already = f"; {waiting:,} were queued already" if waiting > 0 else ""
        return f"Requested verification of {samples(bulk.changed)}{already}"


def title_of(bulk: BulkAction) -> str:
    """Return the batch's title: the filter in words, or how many samples were selected."""
    if bulk.ids is not None:
        return f"{bulk.total:,} selected samples"
    return BrowseFilter.from_querystring(bulk.query).words()


def idle_note(bulk: BulkAction) -> str:
    """Return why part of the batch cannot run yet; empty if workers take all of it."""
    fleet = Fleet.read()
    batch = Verification.objects.filter(batch=bulk.pk)
    requirement = bulk.params.get("requires", "")
    reasons = [
        f"{count:,} {'waits' if count == 1 else 'wait'}{reason.removeprefix('waits')}"
        for kind in WantedDevice.values
        if (reason := fleet.waits_for(kind, requirement))
        and (count := batch.filter(wanted_device=kind).count())
    ]
    return "; ".join(reasons)
