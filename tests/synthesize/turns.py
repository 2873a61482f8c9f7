"""Verdicts for the samples of a turn, as if the engine had reported them, and loops taken to their end."""

from django.utils import timezone

from datasets_app.evidence.record import refresh
from datasets_app.models import Synthesis, Verification
from datasets_app.synthesize.run import run_synthesis
from datasets_app.synthesize.turns import run_loop
from tests.verifications import H200

PASSED = "passed"


def decide(synthesis, verdict):
    """Finish every queued verification of a turn with what `verdict(sample)` returns: an outcome, or a speedup."""
    queued = Verification.objects.filter(sample__candidates__synthesis=synthesis, state="queued").distinct()
    for row in queued.select_related("sample"):
        said = verdict(row.sample)
        row.outcome, row.speedup = (said, None) if isinstance(said, str) else (PASSED, said)
        row.median_ms, row.eager_median_ms = 1.0, row.speedup or 1.0
        row.state, row.device, row.finished_at = "done", H200, timezone.now()
        row.save()
        refresh([row.sample_id])


def take_turn(loop, verdict):
    """Run and judge the current turn, and take the loop one turn further."""
    loop.refresh_from_db()
    current = Synthesis.objects.get(pk=loop.current_id)
    if not current.is_finished:
        run_synthesis(current.pk)
    decide(current, verdict)
    run_loop(loop.pk, in_background=False)
    loop.refresh_from_db()


def take_through(loop, verdict, most=20):
    """Judge and run one turn after the other until the loop has ended. Return it."""
    for _ in range(most):
        take_turn(loop, verdict)
        if loop.is_finished:
            return loop
    raise AssertionError(f"the loop has not ended after {most} turns")


def turns_of(loop):
    return list(Synthesis.objects.filter(loop=loop).order_by("turn"))


def by_turn(*verdicts):
    """Return what decides about a sample by its turn; the last one for all further turns."""
    return lambda sample: verdicts[min(sample.turn, len(verdicts) - 1)]
