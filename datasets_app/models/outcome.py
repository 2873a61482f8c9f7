"""Outcomes of verifications, and which of them decide about the kernel."""

from django.db import models


class Outcome(models.TextChoices):
    """The engine's closed list with labels, in the order in which pages list them."""

    PASSED = "passed", "passed"
    WRONG_VALUE = "wrong_value", "wrong value"
    WRONG_STRUCTURE = "wrong_structure", "wrong structure"
    NONDETERMINISTIC = "nondeterministic", "nondeterministic"
    BROKEN_PROMISE = "broken_promise", "broken promise"
    CHEATED = "cheated", "cheated"
    BUILD_ERROR = "build_error", "build error"
    BUILD_TIMEOUT = "build_timeout", "build timeout"
    LOAD_ERROR = "load_error", "load error"
    RUNTIME_ERROR = "runtime_error", "runtime error"
    ILLEGAL_MEMORY = "illegal_memory", "illegal memory"
    OUT_OF_MEMORY = "out_of_memory", "out of memory"
    TIMEOUT = "timeout", "timeout"
    INVALID_REFERENCE = "invalid_reference", "invalid reference"
    UNSUPPORTED = "unsupported", "unsupported"
    INFRA_ERROR = "infra_error", "our error"


# Outcomes that concern the task, the machine or the site, and say nothing about the kernel.
UNDECIDED = (Outcome.INVALID_REFERENCE, Outcome.UNSUPPORTED, Outcome.INFRA_ERROR)
FAULTS = tuple(outcome for outcome in Outcome if outcome not in (Outcome.PASSED, *UNDECIDED))
DECIDING = (Outcome.PASSED, *FAULTS)
