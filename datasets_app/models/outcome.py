"""The outcomes of a verification, and which of them decide about the kernel."""

from django.db import models


class Outcome(models.TextChoices):
    """The engine's closed list and its words, in the order in which pages name them."""

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


# These say nothing about the kernel: they speak of the task, of the machine, of the site.
UNDECIDED = (Outcome.INVALID_REFERENCE, Outcome.UNSUPPORTED, Outcome.INFRA_ERROR)
FAULTS = tuple(outcome for outcome in Outcome if outcome not in (Outcome.PASSED, *UNDECIDED))
DECIDING = (Outcome.PASSED, *FAULTS)
