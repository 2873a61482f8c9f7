"""The verify stage's tables: claims that were tested with their evidence, and the machines that test them."""

from eval_app.models.host import Host, Worker
from eval_app.models.verification import (
    Baseline,
    Environment,
    Finding,
    MachineCode,
    StageChange,
    Verification,
    VerificationReport,
    WantedDevice,
)

__all__ = [
    "Baseline",
    "Environment",
    "Finding",
    "Host",
    "MachineCode",
    "StageChange",
    "Verification",
    "VerificationReport",
    "WantedDevice",
    "Worker",
]
