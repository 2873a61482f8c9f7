"""Claims of a trace about its kernel, found by rules and checked against syntax, compiler output and measurements."""

from datasets_app.traces.claims.check import Checked, check
from datasets_app.traces.claims.find import Claim, find
from datasets_app.traces.claims.measured import Measured, measured

__all__ = ["Checked", "Claim", "Measured", "check", "find", "measured"]
