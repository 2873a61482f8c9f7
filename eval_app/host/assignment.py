"""One message from the site, read: which row and attempt, on what, the lease's length, and the job."""

from dataclasses import dataclass, field
from threading import Event
from typing import Any

MIN_LEASE_SECONDS = 2


class BadMessageError(ValueError):
    """A message that this host cannot read; the site that sent it is of another version."""


@dataclass
class Assignment:
    """What a worker was asked to do, and how far it is."""

    verification: str
    attempt: int
    device: str
    lease_seconds: int
    job: dict[str, Any]
    nonce: str = ""  # shows the site that this worker got the job
    stage: str = "queued"
    detail: str = ""
    cancelled: Event = field(default_factory=Event)

    @classmethod
    def read(cls, message: Any) -> "Assignment":
        """Check the types of what the broker brought. The job itself is for the engine's contract to judge."""
        try:
            assignment = cls(
                verification=str(message["verification"]),
                attempt=int(message["attempt"]),
                device=str(message["device"]),
                lease_seconds=max(MIN_LEASE_SECONDS, int(message["lease_seconds"])),
                nonce=str(message["nonce"]),
                job=dict(message["job"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise BadMessageError(f"not a verification: {error!r}") from error
        return assignment

    @property
    def sample(self) -> str:
        return str(self.job.get("id", ""))

    def enter(self, stage: str, detail: str = "") -> None:
        """The engine says what it does now."""
        self.stage, self.detail = stage, detail

    def progress(self) -> dict[str, Any]:
        """What a heartbeat says of it."""
        return {
            "verification": self.verification,
            "attempt": self.attempt,
            "nonce": self.nonce,
            "stage": self.stage,
            "detail": self.detail,
        }
