"""Verification engine: check the claims made about a kernel on a real device.

The public names are in `__all__`; `Engine.verify` turns a `Job` into a `Report`. Importing this package loads
no torch. The rooms, from the top: `cli` and `orchestrator` (trusted, no torch), `scout` and `inspect`,
`judge` and `runner` (one sandboxed process each), `build`, then `sandbox`, `labels`, `shared` and `hardware`,
and `contract` at the bottom. Django and Celery must never be imported here.
"""

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
    """Import `Engine` and `SelfTest` on first use, so that reading reports does not load the orchestrator."""
    if name in {"Engine", "SelfTest"}:
        from eval_app.engine.orchestrator import engine

        return getattr(engine, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
