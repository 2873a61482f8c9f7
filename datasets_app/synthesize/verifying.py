"""Has the samples of a synthesis verified: one bulk action over those that never were."""

from __future__ import annotations

from urllib.parse import urlencode

from datasets_app import bulk
from datasets_app.accounts.actor import SITE, Actor
from datasets_app.bulk.verb import samples, verb_named
from datasets_app.jobs import job_row
from datasets_app.models import BulkAction, CandidateState, Synthesis
from datasets_app.synthesize.errors import SynthesisError

VERB = "verify"


def profiles() -> list[str]:
    """Return the profiles under which samples can be verified."""
    return list(verb_named(VERB).choices()["profiles"])


def check_profile(profile: str, actor: Actor) -> None:
    """Raise SynthesisError for a profile that does not exist; none at all is allowed."""
    if not profile:
        return
    try:
        verb_named(VERB).prepare(actor, {"profile": profile})
    except bulk.BulkError as error:
        raise SynthesisError(str(error)) from error


def verify_samples(synthesis: Synthesis) -> None:
    """Request the verifications that were asked for, as the worker of this synthesis."""
    # A loop may have asked for them meanwhile.
    synthesis.refresh_from_db(fields=["verify_profile", "inspect"])
    if action := request_verification(synthesis):
        job_row.renew(synthesis, verify_action=action)


def have_verified(synthesis: Synthesis) -> bool:
    """Request the verifications of a synthesis that has ended; return whether it lacked any."""
    action = request_verification(synthesis)
    if action:
        Synthesis.objects.filter(pk=synthesis.pk).update(verify_action=action)
    return action is not None


def request_verification(synthesis: Synthesis) -> BulkAction | None:
    """Request the verifications that were asked for; None: there are none to request. Called again, it requests none
    twice.

    The site requests them: an action of the person's own would end the undo of what that person did meanwhile.
    """
    stored = synthesis.candidates.filter(state=CandidateState.STORED)
    if not synthesis.verify_profile or not stored.exists():
        return None
    unverified = bulk.Target.of_query(urlencode({"source": synthesis.source.name, "outcome": "none"}))
    if unverified.count(SITE).is_exactly(0):
        return None
    wanted = {"profile": synthesis.verify_profile, "inspect": synthesis.inspect}
    return bulk.start(SITE, VERB, unverified, wanted)


def requested(synthesis: Synthesis) -> str:
    """Return what was requested, in words; empty if nothing was."""
    action = synthesis.verify_action
    if action is None:
        return ""
    if not action.is_finished:
        return f"Verification of {samples(action.total)} is requested."
    return "; ".join(filter(None, [verb_named(VERB).did(action), action.result.get("note", "")])) + "."
