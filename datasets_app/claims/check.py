"""Claims held against what is known: confirmed, contradicted, or unknown with the reason.

A rule says "contradicted" only where the whole program could be read and the claimed thing is not there. What
the syntax cannot show (a compiler's choice, a value of the run) is unknown, and the answer says what would tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from datasets_app.claims.find import Claim
from datasets_app.claims.measured import Measured
from datasets_app.kernel.facts import Access, Kernel, Use, lines_of

CONFIRMED, CONTRADICTED, UNKNOWN = "confirmed", "contradicted", "unknown"
SLACK = 0.95  # a claimed 2.00x is met by 1.90x
MOST_LINES = 12


@dataclass(frozen=True)
class Answer:
    """`lines` are the kernel's; `by`: syntax, compiler, measurement, profile or nothing."""

    verdict: str
    why: str
    lines: tuple[int, ...] = ()
    by: str = "syntax"


@dataclass(frozen=True)
class Checked:
    claim: Claim
    answer: Answer
    number: int


Rule = Callable[[Claim, Kernel, Measured], Answer]


def check(claims: Iterable[Claim], kernel: Kernel, measured: Measured) -> list[Checked]:
    return [
        Checked(claim, RULES[claim.kind](claim, kernel, measured), number)
        for number, claim in enumerate(claims, 1)
    ]


def unknown(why: str, lines: Iterable[int] = ()) -> Answer:
    return Answer(UNKNOWN, why, tuple(lines)[:MOST_LINES], "nothing")


def confirmed(why: str, lines: Iterable[int] = (), by: str = "syntax") -> Answer:
    return Answer(CONFIRMED, why, tuple(dict.fromkeys(lines))[:MOST_LINES], by)


def contradicted(why: str, lines: Iterable[int] = (), by: str = "syntax") -> Answer:
    return Answer(CONTRADICTED, why, tuple(dict.fromkeys(lines))[:MOST_LINES], by)


def in_doubt(kernel: Kernel) -> Answer | None:
    """Why the syntax cannot show that something is missing; None where the whole program was read."""
    if kernel.problems:
        return unknown(f"Not found, but {count(len(kernel.problems), 'place')} could not be parsed.", kernel.problems)
    if kernel.holes:
        return unknown(f"Not found, but part of the source is made at run time: {', '.join(kernel.holes[:3])}.")
    if kernel.of_group("library"):
        return unknown("Not found in its own code; it calls a library that may do this.", lines_of(kernel.of_group("library")))
    if "triton" in kernel.languages:
        return unknown("Triton's compiler decides this; the program does not say.")
    return None


def count(number: int, word: str) -> str:
    plural = "es" if word.endswith(("s", "ch")) else "s"
    return f"{number} {word}{'' if number == 1 else plural}"


def names_of(uses: Iterable[Use]) -> str:
    return ", ".join(dict.fromkeys(use.name for use in uses))


def absent(kernel: Kernel, what: str) -> Answer:
    """It is not there: contradicted, unless something keeps us from being sure."""
    if not kernel.has_device_code:
        return in_doubt(kernel) or contradicted("The program has no GPU kernel of its own.")
    return in_doubt(kernel) or contradicted(f"No {what} in any of its kernels.")


def group_rule(group: str, what: str) -> Rule:
    """Confirmed by any use of the group."""

    def rule(_claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
        uses = kernel.of_group(group)
        return confirmed(f"It calls {names_of(uses)}.", lines_of(uses)) if uses else absent(kernel, what)

    return rule


def shared_memory(_claim: Claim, kernel: Kernel, measured: Measured) -> Answer:
    if kernel.shared:
        known = [array.size_bytes for array in kernel.shared if array.size_bytes is not None]
        total = f", {sum(known):,} bytes static" if known else ""
        names = ", ".join(dict.fromkeys(array.name for array in kernel.shared))
        return confirmed(f"Declared: {names}{total}.", (array.line for array in kernel.shared))
    compiled = [one for one in measured.kernels if (one.get("shared_bytes") or 0) > 0]
    if compiled:
        sizes = ", ".join(f"{one.get('name', '?')}: {one['shared_bytes']:,} bytes" for one in compiled[:3])
        return confirmed(f"The compiler gave it shared memory: {sizes}.", by="compiler")
    return absent(kernel, "shared memory")


def no_shared_memory(claim: Claim, kernel: Kernel, measured: Measured) -> Answer:
    return opposite(shared_memory(claim, kernel, measured), "No shared memory is declared.")


def no_atomics(claim: Claim, kernel: Kernel, measured: Measured) -> Answer:
    found = group_rule("atomic", "atomic operation")(claim, kernel, measured)
    return opposite(found, "No atomic operation in any of its kernels.")


def opposite(answer: Answer, when_absent: str) -> Answer:
    if answer.verdict == CONFIRMED:
        return contradicted(answer.why, answer.lines, answer.by)
    return confirmed(when_absent) if answer.verdict == CONTRADICTED else answer


def grid_stride(_claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    if kernel.grid_strides:
        return confirmed("A loop steps by the whole grid.", kernel.grid_strides)
    return absent(kernel, "loop that steps by the whole grid")


def spoken_of(claim: Claim, places: list[Access]) -> tuple[list[Access], bool]:
    """The accesses of the arrays that the sentence indexes, and whether it does; all of them if it indexes none."""
    named = [one for one in places if one.array in claim.arrays]
    return (named, True) if named else (places, False)


def against(why: str, lines: list[int], narrow: bool) -> Answer:
    """A sentence about one access is not contradicted by another one of the same array."""
    if narrow:
        return unknown(f"It speaks of one access; of the whole array: {why[0].lower()}{why[1:]}", lines)
    return contradicted(why, lines)


def coalesced(claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    if not kernel.has_device_code:
        return absent(kernel, "access")
    if "triton" in kernel.languages:
        return unknown("Triton's compiler lays the accesses out.")
    places, narrow = spoken_of(claim, [one for one in kernel.accesses if one.space == "global"])
    apart = [one for one in places if one.stride is not None and abs(one.stride) > 1]
    unclear = [one for one in places if one.stride is None]
    if apart:
        far = max(abs(one.stride or 0) for one in apart)
        return against(f"Neighbouring threads touch elements up to {far} apart: {arrays(apart)}.", at(apart), narrow)
    if unclear or not places:
        return unknown(why_unclear(places, unclear), at(unclear))
    if all(one.stride == 0 for one in places):
        return unknown("Every access that could be followed is the same for all threads of a warp.", at(places))
    together = [one for one in places if one.stride]
    return confirmed(f"In all {len(places)} accesses neighbouring threads touch neighbours.", at(together))


def why_unclear(places: list[Access], unclear: list[Access]) -> str:
    if not places:
        return "No access of global memory by an index could be followed."
    return f"{len(places) - len(unclear)} of {len(places)} accesses could be followed; {unclear[0].array}: {unclear[0].why}."


def arrays(accesses: Iterable[Access]) -> str:
    return ", ".join(dict.fromkeys(one.array for one in accesses))


def at(accesses: Iterable[Access]) -> list[int]:
    return sorted({one.line for one in accesses})


def no_bank_conflicts(claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    if kernel.has_device_code and not kernel.shared:
        return in_doubt(kernel) or confirmed("It keeps nothing in shared memory.")
    places, narrow = spoken_of(claim, [one for one in kernel.accesses if one.space == "shared"])
    worst = [one for one in places if (one.conflict_ways or 1) > 1]
    if worst:
        ways = max(one.conflict_ways or 1 for one in worst)
        return against(f"Up to {ways} lanes of a warp meet in one bank: {arrays(worst)}.", at(worst), narrow)
    unclear = [one for one in places if one.conflict_ways is None]
    followed = {one.array for one in places}
    missing = [array for array in kernel.shared if array.name not in followed and not narrow]
    if missing or unclear or not places:
        why = f"{unclear[0].array}: {unclear[0].why}" if unclear else "not every shared array is read by an index here"
        return unknown(f"It cannot be told from the indices; {why}.", at(unclear))
    return confirmed(f"In all {count(len(places), 'access')} the lanes of a warp take different banks.", at(places))


def vector_loads(_claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    uses = kernel.of_group("vector access") or [u for u in kernel.of_group("half precision") if u.name.endswith("2")]
    return confirmed(f"Memory is taken as {names_of(uses)}.", lines_of(uses)) if uses else absent(kernel, "vector access")


def tensor_cores(_claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    if not kernel.has_device_code:
        return unknown("It has no GPU kernel of its own; whether a library's takes them, its profile would tell.")
    uses = kernel.of_group("tensor core")
    if uses and "triton" in kernel.languages:
        return unknown("tl.dot takes tensor cores for some types only; the machine code would tell.", lines_of(uses))
    return group_rule("tensor core", "tensor-core instruction")(_claim, kernel, _measured)


def block_size(claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    wanted = int(claim.value or 0)
    blocks = [(launch, launch.block.threads) for launch in kernel.launches if launch.block is not None]
    if not blocks:
        return unknown("No launch with a block of threads was found.")
    fits = [launch.line for launch, threads in blocks if threads == wanted]
    if fits:
        return confirmed(f"Launched with {wanted} threads a block.", fits)
    if any(threads is None for _, threads in blocks):
        return unknown("The block's size is known at run time only.", [launch.line for launch, _ in blocks])
    sizes = ", ".join(dict.fromkeys(str(threads) for _, threads in blocks))
    return contradicted(f"Launched with {sizes} threads a block.", [launch.line for launch, _ in blocks])


def one_kernel(_claim: Claim, kernel: Kernel, measured: Measured) -> Answer:
    if measured.gpu_kernels:
        own = [one for one in measured.gpu_kernels if one.get("own")]
        said = f"{len(own)} of its own and {len(measured.gpu_kernels) - len(own)} others ran"
        if len(measured.gpu_kernels) == 1 and own:
            return confirmed("One kernel ran, its own.", by="profile")
        return contradicted(f"The profile shows {len(measured.gpu_kernels)} different kernels: {said}.", by="profile")
    lines = [launch.line for launch in kernel.launches]
    if not kernel.has_device_code:
        return absent(kernel, "launch")
    if len(lines) == 1:
        return unknown("One launch is written; whether other kernels run beside it, a profile would tell.", lines)
    return unknown(f"{count(len(lines), 'launch')} written; which of them run, a profile would tell.", lines)


def fused(_claim: Claim, kernel: Kernel, measured: Measured) -> Answer:
    if not kernel.has_device_code:
        return absent(kernel, "kernel")
    others = [one for one in measured.gpu_kernels if not one.get("own")]
    if measured.gpu_kernels and not others:
        return confirmed("Only kernels of its own ran.", by="profile")
    if others:
        return unknown(f"Beside its own kernels ran {others[0].get('name', 'another')}; which steps they share out is not told.")
    return unknown("What runs beside its own kernels, a profile would tell.")


def single_pass(_claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    return unknown("How often memory is read depends on caches and bounds; profile metrics would tell.")


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
        return contradicted(f"{spilled[0].get('name', 'A kernel')} spills {spilled[0]['spill_store_bytes']:,} bytes.", by="compiler")
    return confirmed(f"{count(len(known), 'kernel')} compiled, none spills.", by="compiler")


def speedup(claim: Claim, _kernel: Kernel, measured: Measured) -> Answer:
    if measured.speedup is None or not claim.value:
        state = f"the newest verification ended {measured.outcome.replace('_', ' ')}" if measured.outcome else "never verified"
        return unknown(f"No speedup was measured: {state}.")
    high = measured.speedup_high or measured.speedup
    figures = f"{measured.speedup:.2f}x over eager on {measured.device}"
    if measured.speedup >= SLACK * claim.value:
        return confirmed(f"Measured {figures}.", by="measurement")
    if high < SLACK * claim.value:
        return contradicted(f"Measured {figures}, at most {high:.2f}x.", by="measurement")
    return unknown(f"Measured {figures}; {claim.value:g}x lies within its interval.")


RULES: dict[str, Rule] = {
    "shared memory": shared_memory,
    "no shared memory": no_shared_memory,
    "no bank conflicts": no_bank_conflicts,
    "no atomics": no_atomics,
    "no spills": no_spills,
    "grid-stride loop": grid_stride,
    "coalesced": coalesced,
    "warp shuffle": group_rule("warp shuffle", "warp shuffle"),
    "vector loads": vector_loads,
    "tensor cores": tensor_cores,
    "atomics": group_rule("atomic", "atomic operation"),
    "half precision": group_rule("half precision", "half-precision type"),
    "asynchronous copy": group_rule("asynchronous copy", "asynchronous copy"),
    "unrolled": group_rule("unrolling", "#pragma unroll"),
    "one kernel": one_kernel,
    "single pass": single_pass,
    "fused": fused,
    "block size": block_size,
    "registers": registers,
    "speedup": speedup,
}
