"""One message from the site: row, attempt, device, lease duration and job."""

from dataclasses import dataclass, field
from threading import Event
from typing import Any

MIN_LEASE_SECONDS = 2


class BadMessageError(ValueError):
    """A message that this host cannot read; the site has another version."""


@dataclass
class Assignment:
    """A job that this worker received, and its progress."""

    verification: str
    attempt: int
    device: str
    lease_seconds: int
    job: dict[str, Any]
    nonce: str = ""  # shows the site that this worker received the job
    stage: str = "queued"
    detail: str = ""
    cancelled: Event = field(default_factory=Event)
    wanted_back: bool = False  # the site paused this host, which may be resumed before the job has stopped

    @classmethod
    def read(cls, message: Any) -> "Assignment":
        """Check the types of a message from the broker. The engine's contract validates the job itself."""
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
        """Return the id of the sample."""
        return str(self.job.get("id", ""))

    def enter(self, stage: str, detail: str = "") -> None:
        """Record the engine's present stage."""
        self.stage, self.detail = stage, detail

    def progress(self) -> dict[str, Any]:
        """Return the row's part of a heartbeat."""
        return {
            "verification": self.verification,
            "attempt": self.attempt,
            "nonce": self.nonce,
            "stage": self.stage,
            "detail": self.detail,
        }
