"""Creates finished verifications in one line each, with the evidence that follows from them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from datasets_app.evidence.record import refresh
from datasets_app.models import Environment, Sample, Verification

AT = datetime(2026, 5, 4, tzinfo=UTC)
H200, L40, EPYC = "NVIDIA H200", "NVIDIA L40", "AMD EPYC 9654"


def finished(
    sample: Sample, outcome: str = "passed", device: str = H200, *, days: float = 0, **fields: Any
) -> Verification:
    """Store a verification of the sample, finished `days` after AT, without deriving evidence from it."""
    at = AT + timedelta(days=days)
    kind = "cpu" if device == EPYC else "cuda"
    return Verification.objects.create(
        sample=sample,
        wanted_device=kind,
        device=device,
        state="done",
        outcome=outcome,
        finished_at=at,
        **fields,
    )


def verified(sample: Sample, outcome: str = "passed", device: str = H200, **fields: Any) -> Verification:
    """Like `finished`, then derive the sample's evidence and headline; the given sample is updated."""
    row = finished(sample, outcome, device, **fields)
    refresh([sample.pk])
    sample.refresh_from_db()
    return row


def timed(sample: Sample, speedup: float, device: str = H200, **fields: Any) -> Verification:
    """Store a pass with a speedup and an interval of 2 % around it."""
    interval = {"speedup": speedup, "speedup_low": 0.98 * speedup, "speedup_high": 1.02 * speedup}
    return verified(sample, "passed", device, **interval, **fields)


def environment(key: str = "one", device: str = H200, **versions: str) -> Environment:
    fields = {"kind": "cuda", "device": device, **versions}
    return Environment.objects.get_or_create(key=key, defaults=fields)[0]
