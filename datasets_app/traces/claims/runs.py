"""Checks claims about what ran and how it was compiled against the newest verification."""

from __future__ import annotations

from datasets_app.syntax.kernel.facts import Kernel
from datasets_app.traces.claims.answers import Answer, absent, confirmed, contradicted, count, unknown
from datasets_app.traces.claims.find import Claim
from datasets_app.traces.claims.measured import Measured

NO_OUTPUT = "The newest verification has no compiler output."
SLACK = 0.95  # a claimed 2.00x is confirmed by 1.90x


def one_kernel(_claim: Claim, kernel: Kernel, measured: Measured) -> Answer:
    if measured.gpu_kernels:
        own = [row for row in measured.gpu_kernels if row.get("own")]
        summary = f"{len(own)} own and {len(measured.gpu_kernels) - len(own)} others ran"
        if len(measured.gpu_kernels) == 1 and own:
            return confirmed("Only one kernel ran, its own.", by="profile")
        return contradicted(
            f"The profile shows {len(measured.gpu_kernels)} different kernels: {summary}.", by="profile"
        )
    lines = [launch.line for launch in kernel.launches]
    if not kernel.has_device_code:
        return absent(kernel, "launch")
    if len(lines) == 1:
        return unknown(
            "One launch in the source; a profile would show whether other kernels run as well.", lines
        )
    return unknown(
        f"{count(len(lines), 'launch')} in the source; a profile would show which of them run.", lines
    )


def fused(_claim: Claim, kernel: Kernel, measured: Measured) -> Answer:
    if not kernel.has_device_code:
        return absent(kernel, "kernel")
    others = [row for row in measured.gpu_kernels if not row.get("own")]
    if measured.gpu_kernels and not others:
        return confirmed("Only its own kernels ran.", by="profile")
    if others:
        name = others[0].get("name", "another")
        return unknown(f"{name} ran besides its own kernels; which steps each computes is unknown.")
    return unknown("A profile would show what runs besides its own kernels.")


def registers(claim: Claim, _kernel: Kernel, measured: Measured) -> Answer:
    compiled = [row for row in measured.kernels if isinstance(row.get("registers"), int)]
    if not compiled:
        return unknown(NO_OUTPUT)
    figures = ", ".join(f"{row.get('name', '?')}: {row['registers']}" for row in compiled[:4])
    if any(row["registers"] == claim.value for row in compiled):
        return confirmed(f"Registers per thread: {figures}.", by="compiler")
    return contradicted(f"Registers per thread: {figures}.", by="compiler")


def no_spills(_claim: Claim, _kernel: Kernel, measured: Measured) -> Answer:
    compiled = [row for row in measured.kernels if row.get("spill_store_bytes") is not None]
    if not compiled:
        return unknown(NO_OUTPUT)
    spilled = [row for row in compiled if row["spill_store_bytes"] or row.get("spill_load_bytes")]
    if spilled:
        name, size = spilled[0].get("name", "A kernel"), spilled[0]["spill_store_bytes"]
        return contradicted(f"{name} spills {size:,} bytes.", by="compiler")
    return confirmed(f"{count(len(compiled), 'kernel')} compiled, none spills.", by="compiler")


def speedup(claim: Claim, _kernel: Kernel, measured: Measured) -> Answer:
    if measured.speedup is None or not claim.value:
        ended = f"the newest verification ended {measured.outcome.replace('_', ' ')}"
        return unknown(f"No speedup was measured: {ended if measured.outcome else 'never verified'}.")
    high = measured.speedup_high or measured.speedup
    figures = f"{measured.speedup:.2f}x over eager on {measured.device}"
    if measured.speedup >= SLACK * claim.value:
        return confirmed(f"Measured {figures}.", by="measurement")
    if high < SLACK * claim.value:
        return contradicted(f"Measured {figures}, at most {high:.2f}x.", by="measurement")
    return unknown(f"Measured {figures}; {claim.value:g}x is within its interval.")
