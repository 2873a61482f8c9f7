"""Checks claims against the evidence: confirmed, contradicted, or unknown with the reason.

A rule answers "contradicted" only if the whole program could be read and the claimed thing is absent. What the syntax
cannot show (a compiler's choice, a value at run time) is unknown, and the answer names what would decide it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from datasets_app.syntax.kernel.facts import Kernel, lines_of
from datasets_app.traces.claims.answers import (
    CONFIRMED,
    CONTRADICTED,
    Answer,
    absent,
    confirmed,
    contradicted,
    names_of,
    unknown,
)
from datasets_app.traces.claims.find import Claim
from datasets_app.traces.claims.measured import Measured
from datasets_app.traces.claims.memory import coalesced, no_bank_conflicts
from datasets_app.traces.claims.runs import fused, no_spills, one_kernel, registers, speedup
from datasets_app.traces.claims.work import flops


@dataclass(frozen=True)
class Checked:
    claim: Claim
    answer: Answer
    number: int


WARP = 32
Rule = Callable[[Claim, Kernel, Measured], Answer]


def check(claims: Iterable[Claim], kernel: Kernel, measured: Measured) -> list[Checked]:
    return [
        Checked(claim, of_a_draft(claim, RULES[claim.kind](claim, kernel, measured)), number)
        for number, claim in enumerate(claims, 1)
    ]


def of_a_draft(claim: Claim, answer: Answer) -> Answer:
    """Return the answer without contradictions: before the trace corrects itself it may describe a discarded kernel."""
    if answer.verdict != CONTRADICTED or not claim.corrected_at:
        return answer
    later = "the trace corrects itself later and may describe a draft here"
    return unknown(f"Not so: {answer.why[0].lower()}{answer.why[1:]} But {later}.", answer.lines)


def group_rule(group: str, what: str) -> Rule:
    """Return a rule that any use of the group confirms."""

    def rule(_claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
        uses = kernel.of_group(group)
        return confirmed(f"It calls {names_of(uses)}.", lines_of(uses)) if uses else absent(kernel, what)

    return rule


def shared_memory(_claim: Claim, kernel: Kernel, measured: Measured) -> Answer:
    if kernel.shared:
        static_sizes = [array.size_bytes for array in kernel.shared if array.size_bytes is not None]
        total = f", {sum(static_sizes):,} bytes static" if static_sizes else ""
        names = ", ".join(dict.fromkeys(array.name for array in kernel.shared))
        return confirmed(f"Declared: {names}{total}.", (array.line for array in kernel.shared))
    compiled = [row for row in measured.kernels if (row.get("shared_bytes") or 0) > 0]
    if compiled:
        sizes = ", ".join(f"{row.get('name', '?')}: {row['shared_bytes']:,} bytes" for row in compiled[:3])
        return confirmed(f"The compiler allocated shared memory: {sizes}.", by="compiler")
    return absent(kernel, "shared memory")


def no_shared_memory(claim: Claim, kernel: Kernel, measured: Measured) -> Answer:
    answer = shared_memory(claim, kernel, measured)
    return opposite(answer, "No shared memory is declared.", kernel)


def no_atomics(claim: Claim, kernel: Kernel, measured: Measured) -> Answer:
    answer = group_rule("atomic", "atomic operation")(claim, kernel, measured)
    return opposite(answer, "No atomic operation in any of its kernels.", kernel)


def opposite(answer: Answer, when_absent: str, kernel: Kernel) -> Answer:
    """Return the answer to a denial. One that only some of several kernels contradict may be about the others."""
    if answer.verdict == CONTRADICTED:
        return confirmed(when_absent)
    if answer.verdict == CONFIRMED and (free := kernel.free_of(answer.lines)):
        others = ", ".join(function.name for function in free[:3])
        return unknown(f"{answer.why} Not so {others}, which the sentence may refer to.", answer.lines)
    return contradicted(answer.why, answer.lines, answer.by) if answer.verdict == CONFIRMED else answer


def grid_stride(_claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    if kernel.grid_strides:
        return confirmed("A loop steps by the whole grid.", kernel.grid_strides)
    return absent(kernel, "loop that steps by the whole grid")


def vector_loads(_claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    pairs = [use for use in kernel.of_group("half precision") if use.name.endswith("2")]
    uses = kernel.of_group("vector access") or pairs
    return (
        confirmed(f"Memory is accessed as {names_of(uses)}.", lines_of(uses))
        if uses
        else absent(kernel, "vector access")
    )


def tensor_cores(_claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    if not kernel.has_device_code:
        return unknown(
            "It has no GPU kernel of its own; a profile would show whether a library's kernel uses them."
        )
    uses = kernel.of_group("tensor core")
    if uses and "triton" in kernel.languages:
        return unknown(
            "tl.dot uses tensor cores for some types only; the machine code would show it.", lines_of(uses)
        )
    return group_rule("tensor core", "tensor-core instruction")(_claim, kernel, _measured)


def block_size(claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    wanted = int(claim.value or 0)
    blocks = [(launch, launch.block.threads) for launch in kernel.launches if launch.block is not None]
    if not blocks:
        return elements_a_program(claim, kernel, wanted)
    fits = [launch.line for launch, threads in blocks if threads == wanted]
    if fits:
        return confirmed(f"Launched with {wanted} threads per block.", fits)
    if any(threads is None for _, threads in blocks):
        return unknown("The block's size is known at run time only.", [launch.line for launch, _ in blocks])
    sizes = ", ".join(dict.fromkeys(str(threads) for _, threads in blocks))
    return contradicted(f"Launched with {sizes} threads per block.", [launch.line for launch, _ in blocks])


def elements_a_program(claim: Claim, kernel: Kernel, wanted: int) -> Answer:
    """Return the answer for Triton, whose block size counts elements; it has 32 threads for each of num_warps."""
    options = [
        (launch.line, name, value.number) for launch in kernel.launches for name, value in launch.options
    ]
    if "thread" in claim.text.lower():
        warps = [(line, number) for line, name, number in options if name == "num_warps"]
        fits = [line for line, number in warps if isinstance(number, int) and number * WARP == wanted]
        if fits:
            return confirmed(f"num_warps = {wanted // WARP}, of {WARP} threads each.", fits)
        return unknown("No launch with a block of threads was found.", [line for line, _ in warps])
    named = [(line, name) for line, name, number in options if number == wanted and name.isupper()]
    if named:
        return confirmed(f"{named[0][1]} = {wanted} elements per program.", [line for line, _ in named])
    return unknown("No launch that names a block of this size was found.")


def single_pass(_claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    return unknown("How often memory is read depends on caches and bounds; profiler metrics would show it.")


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
    "FLOPs": flops,
    "speedup": speedup,
}
