"""The verification engine: claims about a kernel, tested on a machine. Importing it loads no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eval_app.engine.checked import ContractError
from eval_app.engine.configs import read_configs
from eval_app.engine.contract import Finding, Job, Language, Outcome, Report, Severity
from eval_app.engine.evidence import BuildInfo, Correctness, Mismatch, Speedup, Spread, Timing
from eval_app.engine.profiles import ADMISSION, PROFILES, Profile
from eval_app.engine.version import ENGINE_VERSION

if TYPE_CHECKING:
    from eval_app.engine.engine import Engine, SelfTest

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
        from eval_app.engine import engine

        return getattr(engine, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
