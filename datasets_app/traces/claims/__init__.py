"""What a trace says about its kernel, found by rule and checked against syntax, compiler and measurement."""

from datasets_app.traces.claims.check import Checked, check
from datasets_app.traces.claims.find import Claim, find
from datasets_app.traces.claims.measured import Measured, measured

__all__ = ["Checked", "Claim", "Measured", "check", "find", "measured"]
