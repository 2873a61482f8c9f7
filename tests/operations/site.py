"""A small site under work: waiting and finished verifications, hosts with workers, jobs."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from datasets_app.models import Verification, VerificationReport
from eval_app.models import Host, Worker
from tests.factories import make_sample

ENGINE = "1.1.0"


def ago(**span: float) -> Any:
    return timezone.now() - timedelta(**span)


def waiting(device: str = "cpu", minutes: float = 5, **fields: Any) -> Verification:
    row = Verification.runs.create(sample=make_sample(), wanted_device=device, **fields)
    Verification.runs.filter(pk=row.pk).update(created_at=ago(minutes=minutes))
    return row


def finished(outcome: str = "passed", minutes: float = 5, seconds: Any = None, **fields: Any) -> Verification:
    row = Verification.runs.create(
        sample=make_sample(),
        wanted_device=fields.pop("wanted_device", "cpu"),
        state="done",
        outcome=outcome,
        worker="gpu-7",
        finished_at=ago(minutes=minutes),
        **fields,
    )
    VerificationReport.objects.create(verification=row, report={"seconds": seconds or {}})
    return row


def host(name: str = "gpu-7", *, seconds: float = 5, **fields: Any) -> Worker:
    """Store a host with one worker that announced itself some seconds ago."""
    seen = ago(seconds=seconds)
    owner = Host.objects.create(name=name, public_key="00" * 32, seen_at=seen)
    facts = {"state": "ready", "queues": ["cpu"], "lanes": 4, "busy": 1} | fields
    facts.setdefault("sequence", int(seen.timestamp() * 1_000_000))
    facts.setdefault("devices", [{"kind": "cpu", "name": "CPU", "state": "free"}])
    return Worker.objects.create(
        name=name, host=owner, seen_at=seen, healthy=facts["state"] == "ready", **facts
    )
