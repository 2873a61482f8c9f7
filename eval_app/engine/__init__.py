"""The verification engine: claims about a kernel, tested on a machine. Importing it loads no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eval_app.engine.contract.configs import read_configs
from eval_app.engine.contract.evidence import BuildInfo, Correctness, Mismatch, Speedup, Spread, Timing
from eval_app.engine.contract.jobs import Finding, Job, Language, Outcome, Report, Severity
from eval_app.engine.contract.profiles import ADMISSION, PROFILES, Profile
from eval_app.engine.contract.schema import ContractError
from eval_app.engine.contract.version import ENGINE_VERSION

if TYPE_CHECKING:
    from eval_app.engine.orchestrator.engine import Engine
    from eval_app.engine.orchestrator.selftest import SelfTest

__all__ = [
    "ADMISSION",
    "ENGINE_VERSION",
    "PROFILES",
    "BuildInfo",
    "ContractError",
    "Correctness",
    "Engine",
    "Finding",
    "Job",
    "Language",
    "Mismatch",
    "Outcome",
    "Profile",
    "Report",
    "SelfTest",
    "Severity",
    "Speedup",
    "Spread",
    "Timing",
    "read_configs",
]


def __getattr__(name: str) -> Any:
    """Give `Engine` and `SelfTest` on first use: who only reads reports never loads the machinery."""
    if name in {"Engine", "SelfTest"}:
        from eval_app.engine.orchestrator import engine

        return getattr(engine, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
