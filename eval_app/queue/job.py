"""The engine's job for a sample, and the message that carries it to a worker."""

from typing import Any

from django.conf import settings

from datasets_app.models import Sample, Verification
from eval_app.engine import ContractError, Job, read_configs
from eval_app.queue.declared_configs import declared
from eval_app.workers import site_key


def message(row: Verification) -> dict[str, Any]:
    """Return the message for a row: its attempt, device and lease duration, and the job itself."""
    return {
        "verification": str(row.pk),
        "attempt": row.attempt,
        "nonce": site_key.nonce(row.pk, row.attempt),
        "device": row.wanted_device,
        "lease_seconds": settings.LEASE_SECONDS,
        "job": job_for(row.subject(), row.profile, inspect=row.inspect),
    }


def job_for(sample: Sample, profile: str, *, inspect: bool = False) -> dict[str, Any]:
    """Return the engine's job for a sample loaded with_body(), with all configurations that its source declares.

    Raises ContractError for texts that the engine refuses. A column that only looks like configurations is ignored.
    """
    if not sample.body.is_program:
        raise ContractError(
            "its source publishes the kernel in a form that is no program with a class ModelNew"
        )
    job = {
        "id": str(sample.pk),
        "reference": sample.task.body.pytorch_code,
        "candidate": sample.body.kernel_code,
        "language": sample.language,
        "profile": profile,
        "inspect": inspect,
    }
    extra = declared({**sample.body.extra, **sample.task.body.extra})
    if "configs" in extra and not are_configs(extra["configs"]):
        del extra["configs"]
    return Job.from_dict(job | extra).to_dict()


def are_configs(value: Any) -> bool:
    """Return whether the engine can read a column of this name; a source may use the name for anything."""
    try:
        read_configs(value)
    except ContractError:
        return False
    return True
