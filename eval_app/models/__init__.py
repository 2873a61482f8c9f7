"""Hosts and the workers on them. Verifications are in datasets_app.models, beneath the stages that read them."""

from eval_app.models.host import Host, Worker

__all__ = ["Host", "Worker"]
