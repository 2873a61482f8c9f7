"""A host in a test's own process: its key, and the envelopes that it would send."""

import time
from typing import Any

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Verification
from eval_app.broker.messages import envelope
from eval_app.broker.messages.keys import HostKey
from eval_app.engine import ENGINE_VERSION
from eval_app.site_worker import inbound
from eval_app.workers import registry, site_key

FACTS = {
    "state": "ready",
    "devices": [{"kind": "cpu", "name": "CPU"}],
    "queues": ["cpu"],
    "versions": {"engine": ENGINE_VERSION},
    "sandbox": "bwrap",
    "lanes": 2,
    "busy": 0,
}


class HostHand:
    """A host that the site knows. Methods named after messages send them, and return whether they counted."""

    def __init__(self, name: str = "gpu-7", kinds: tuple[str, ...] = (), label: str = "") -> None:
        self.host, text = registry.add_host(name, kinds, actor=COMMAND)
        self.key = HostKey.read(text)
        self.label = label or name
        self.sequence = time.time_ns() // 1000

    def packed(self, purpose: str, content: Any = None, **head: Any) -> bytes:
        named = {"purpose": purpose, "host": self.key.name, "worker": self.label, **head}
        return envelope.pack(self.key.private, named, content)

    def numbered(self, purpose: str, content: Any, **head: Any) -> bytes:
        self.sequence += 1
        return self.packed(purpose, content, **{"sequence": self.sequence, "session": "s", **head})

    def deliver(self, raw: bytes) -> bool:
        return inbound.receive(self.key.name, raw)

    def announce(self, **facts: Any) -> bool:
        return self.deliver(self.numbered("announce", {**FACTS, **facts}))

    def heartbeat(self, *rows: Verification, stage: str = "timing") -> bool:
        return self.deliver(self.numbered("heartbeat", [{**about(row), "stage": stage} for row in rows]))

    def report(self, row: Verification, report: dict[str, Any], **head: Any) -> bool:
        return self.deliver(self.packed("report", report, **{**about(row), **head}))

    def give_back(self, row: Verification, **head: Any) -> bool:
        return self.deliver(self.packed("give_back", None, **{**about(row), **head}))

    @property
    def refusal(self) -> str:
        self.host.refresh_from_db()
        return self.host.refusal


def about(row: Verification) -> dict[str, Any]:
    """Return what a host knows about a row whose job it received."""
    return {"verification": str(row.pk), "attempt": row.attempt, "nonce": site_key.nonce(row.pk, row.attempt)}


def now(row: Verification) -> Verification:
    """Return the row as it is in the database."""
    row.refresh_from_db()
    return row
