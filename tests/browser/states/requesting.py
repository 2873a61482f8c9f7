"""Verifications of the filled site that are not finished: single ones, and a batch."""

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Sample, Verification
from eval_app.attempts import leases
from eval_app.request.verify import request_verification


def under_way(waiting: Sample, running: Sample) -> tuple[Verification, Verification]:
    """Request one that waits for a CUDA worker, one that is being built, and a batch of both samples."""
    [queued] = request_verification([waiting], "thorough", "cuda", send=False, actor=COMMAND)
    [held] = request_verification([running], "standard", "cpu", send=False, actor=COMMAND)
    together = [waiting, running]
    request_verification(
        together, "quick", "cuda", send=False, actor=COMMAND, title="Samples about “warp shuffle”"
    )
    for stage, detail in (("load", ""), ("build", "slim headers"), ("trials", "3 of 8")):
        leases.renew(
            "gpu-1", [{"verification": str(held.pk), "attempt": 1, "stage": stage, "detail": detail}]
        )
    return queued, held
