"""Checks claims about a task's floating-point operations against those that its verification counted.

The counted operations are of the reference: products by torch's counter (a multiply-add is two), other operators by
the engine's table. A kernel may do the same task with other operations, so that only a gross difference contradicts.
What the profiler counted is of one kernel, without its tensor cores: it can confirm a claim, and contradicts none.
"""

from __future__ import annotations

import re

from datasets_app.syntax.kernel.facts import Kernel
from datasets_app.traces.claims.answers import Answer, confirmed, contradicted, unknown
from datasets_app.traces.claims.find import Claim
from datasets_app.traces.claims.measured import Measured

CLOSE = 0.05  # relative difference that confirms
GROSS = 2.5  # ratio that contradicts; half or double may be another way to count a multiply-add
DOUBLE = re.compile(r"double|fp64|float64", re.IGNORECASE)
SINGLE = re.compile(r"single|fp32|float32", re.IGNORECASE)


def flops(claim: Claim, _kernel: Kernel, measured: Measured) -> Answer:
    """Compare the claimed total with the counted one, of one precision if the claim names one."""
    if executed := executed_operations(claim, measured):
        return confirmed(executed, by="measurement")
    if not measured.work or not claim.value:
        return unknown("Not counted: no verification has counted the task's operations.")
    if missing := measured.work.get("uncounted"):
        names = ", ".join(map(str, missing[:4]))
        return unknown(f"Not counted in full: nothing counts {names}.")
    counted = counted_operations(claim, measured)
    if counted is None:
        return unknown("Not counted: the program does not run under a counter.")
    total, what = counted
    figures = f"{total:,} operations{what} were counted on the reference"
    if is_close(claim.value, total):
        return confirmed(f"{figures}.", by="measurement")
    if not total or not 1 / GROSS <= claim.value / total <= GROSS:
        return contradicted(f"{figures}, not {claim.value:,.0f}.", by="measurement")
    return unknown(f"{figures}; the difference may be another way to count, such as a multiply-add as one.")


def executed_operations(claim: Claim, measured: Measured) -> str:
    """Return what the profiler counted in words, if that is about what is claimed; else nothing."""
    if not measured.executed or not claim.value:
        return ""
    single, double = measured.executed.single, measured.executed.double
    total = double if DOUBLE.search(claim.text) else single if SINGLE.search(claim.text) else single + double
    if not is_close(claim.value, total):
        return ""
    return f"The profiler counted {total:,.0f} operations in a launch of the kernel that ran longest."


def is_close(claimed: float, counted: float) -> bool:
    return abs(claimed - counted) <= CLOSE * counted


def counted_operations(claim: Claim, measured: Measured) -> tuple[int, str] | None:
    """Return the counted operations of the precision that the claim names, or all; None if they were not counted."""
    products, others = measured.work.get("flops"), measured.work.get("other_flops")
    if not isinstance(products, int) or not isinstance(others, int):
        return None
    total, double = products + others, measured.work.get("double_flops")
    if not (DOUBLE.search(claim.text) or SINGLE.search(claim.text)):
        return total, ""
    if not isinstance(double, int):  # a report of before: precisions were not told apart
        return None
    return (
        (double, " in double precision")
        if DOUBLE.search(claim.text)
        else (total - double, " in single precision")
    )
