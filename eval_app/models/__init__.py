"""Hosts, their workers, batches, and alerts. Verifications are in datasets_app.models, beneath their readers."""

from eval_app.models.alert import Alert
from eval_app.models.batch import VerificationBatch
from eval_app.models.host import Host, Worker

__all__ = ["Alert", "Host", "VerificationBatch", "Worker"]
