"""Hosts, their workers, and batches. Verifications are in datasets_app.models, beneath the stages that read them."""

from eval_app.models.batch import VerificationBatch
from eval_app.models.host import Host, Worker

__all__ = ["Host", "VerificationBatch", "Worker"]
