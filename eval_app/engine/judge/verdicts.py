"""Exceptions that end a judgement early, each with the data for the report."""

from __future__ import annotations

from typing import Any

# The outcome of a judge after ContextLostError: the job is tried again, on values within the range of the task's own.
CONTEXT_LOST = "context_lost"
# The outcome of a judge after DeviceSharedError: the job is tried again, without looks that want a device of its own.
DEVICE_SHARED = "device_shared"
# What torch, CUDA and its libraries say when memory is short: allocators in a type of their own, libraries' handles and
# the loading of a kernel in words alone.
_NO_MEMORY = ("OutOfMemoryError", "MemoryError", "can't allocate memory", "out of memory", "ALLOC_FAILED")


class ReferenceFaultError(Exception):
    """The reference is unusable as ground truth: it fails, is not reproducible, or cannot be transferred."""


class RejectedError(Exception):
    """The candidate is rejected: an outcome, an explanation, and findings with their evidence."""

    def __init__(self, outcome: str, detail: str, findings: list[tuple[str, str]] | None = None) -> None:
        """Store the outcome; `findings` are (code, detail) pairs of severity reject."""
        super().__init__(detail)
        self.outcome, self.detail = outcome, detail
        self.findings = [finding("reject", code, text) for code, text in findings or []]


class UnreviewedError(RejectedError):
    """Whether a difference is an honest error could not be said in the time that there is; the message says so."""

    def __init__(self, detail: str) -> None:
        """Store the explanation: no verdict on the values themselves."""
        super().__init__("timeout", detail)


class UnreadableError(Exception):
    """The judge cannot read the results of an order as it must; the message says why."""


class UnprovenError(Exception):
    """A wrong result on values where the reference's own depends on last bits: it proves nothing. The message says
    why."""


class ContextLostError(Exception):
    """The reference ended this process's context on the device, as a failed assertion there does, on values that the
    task does not draw."""


class DeviceSharedError(Exception):
    """Another program works on the device, so that work seen there is not shown to be the candidate's."""


class RunnerLostError(Exception):
    """The runner ended during an order; only the orchestrator can say why."""


def says_no_memory(text: str) -> bool:
    """Return whether the text of an error, with its type, says that memory is short: others may have taken it."""
    return any(sign in text for sign in _NO_MEMORY)


def finding(severity: str, code: str, detail: str) -> dict[str, Any]:
    """Return a finding in its JSON form."""
    return {"code": code, "severity": severity, "detail": detail[:2000]}


def storable(value: Any) -> Any:
    """Return a verdict without characters that no report can hold: a candidate may have put them into its answers, and
    a verdict that breaks the contract would be the reference's fault."""
    if isinstance(value, str):
        return "".join("?" if char == "\x00" or "\ud800" <= char <= "\udfff" else char for char in value)
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    return value
