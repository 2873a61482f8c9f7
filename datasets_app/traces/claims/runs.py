"""Checks claims about what ran and how it was compiled against the newest verification."""

from __future__ import annotations

from datasets_app.syntax.kernel.facts import Kernel
from datasets_app.traces.claims.answers import Answer, absent, confirmed, contradicted, count, unknown
from datasets_app.traces.claims.find import Claim
from datasets_app.traces.claims.measured import Measured

SLACK = 0.95  # a claimed 2.00x is met by 1.90x


def one_kernel(_claim: Claim, kernel: Kernel, measured: Measured) -> Answer:
    if measured.gpu_kernels:
        own = [one for one in measured.gpu_kernels if one.get("own")]
        said = f"{len(own)} of its own and {len(measured.gpu_kernels) - len(own)} others ran"
        if len(measured.gpu_kernels) == 1 and own:
            return confirmed("One kernel ran, its own.", by="profile")
        return contradicted(
            f"The profile shows {len(measured.gpu_kernels)} different kernels: {said}.", by="profile"
        )
    lines = [launch.line for launch in kernel.launches]
    if not kernel.has_device_code:
        return absent(kernel, "launch")
    if len(lines) == 1:
        return unknown(
            "One launch is written; whether other kernels run beside it, a profile would tell.", lines
        )
    return unknown(f"{count(len(lines), 'launch')} written; which of them run, a profile would tell.", lines)


def fused(_claim: Claim, kernel: Kernel, measured: Measured) -> Answer:
    if not kernel.has_device_code:
        return absent(kernel, "kernel")
    others = [one for one in measured.gpu_kernels if not one.get("own")]
    if measured.gpu_kernels and not others:
        return confirmed("Only kernels of its own ran.", by="profile")
    if others:
        name = others[0].get("name", "another")
        return unknown(f"Beside its own kernels ran {name}; which steps they share out is not told.")
    return unknown("What runs beside its own kernels, a profile would tell.")


def registers(claim: Claim, _kernel: Kernel, measured: Measured) -> Answer:
    known = [one for one in measured.kernels if isinstance(one.get("registers"), int)]
    if not known:
        return unknown("The newest verification has no compiler's report.")
    said = ", ".join(f"{one.get('name', '?')}: {one['registers']}" for one in known[:4])
    if any(one["registers"] == claim.value for one in known):
        return confirmed(f"Registers a thread: {said}.", by="compiler")
    return contradicted(f"Registers a thread: {said}.", by="compiler")


def no_spills(_claim: Claim, _kernel: Kernel, measured: Measured) -> Answer:
    known = [one for one in measured.kernels if one.get("spill_store_bytes") is not None]
    if not known:
        return unknown("The newest verification has no compiler's report.")
    spilled = [one for one in known if one["spill_store_bytes"] or one.get("spill_load_bytes")]
    if spilled:
        name, size = spilled[0].get("name", "A kernel"), spilled[0]["spill_store_bytes"]
        return contradicted(f"{name} spills {size:,} bytes.", by="compiler")
    return confirmed(f"{count(len(known), 'kernel')} compiled, none spills.", by="compiler")


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
    return unknown(f"Measured {figures}; {claim.value:g}x lies within its interval.")
