"""The verdicts that an engine must give on the demo pack's unsound samples, which the pack does not reveal.

Every other sample is sound: it must pass wherever it can run.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Unsound:
    """A sample that differs from its reference."""

    # The outcomes that a correct engine may give.
    outcomes: frozenset[str]
    # The fault, and how it shows.
    why: str


def _wrong(why: str) -> Unsound:
    return Unsound(frozenset({"wrong_value"}), why)


def _cheat(why: str, *also: str) -> Unsound:
    return Unsound(frozenset({"cheated", *also}), why)


def _broken_promise(why: str) -> Unsound:
    return Unsound(frozenset({"broken_promise"}), why)


# C++ and Python: these run on any machine.
UNSOUND_ON_CPU: dict[str, Unsound] = {
    "silu_gate_add.cpp_unrolled": _wrong("the tail stops one short: the last of 49,115 elements stays zero"),
    "column_variance.cpp_columns": _wrong("the squares are divided by n, not by n - 1"),
    "matmul_small.cpp_packed": _wrong("both factors are rounded to half precision"),
    "rms_norm.cpp_unrolled": _wrong("eps is added to the root, not under it"),
    "batch_norm_relu.python_prepared": _cheat(
        "outputs are cached by the address of the input: stale when a buffer is used again",
        "wrong_value",
        "nondeterministic",
    ),
    "span_softmax.cpp_two_loops": _wrong(
        "no maximum is subtracted: exp overflows when the scores are scaled"
    ),
    "span_attention.cpp_bits": _wrong(
        "the mask's bits are kept in 32: keys from the 33rd on are always seen"
    ),
    "max_pool2d.cpp_windows": _wrong("the maximum starts at zero: wrong where a whole window is negative"),
    "cross_entropy.python_expected": _wrong("a constant: the expected loss of random logits"),
    "huber_rows.python_background": _cheat(
        "a thread fills the output after it was returned", "wrong_value", "nondeterministic"
    ),
    "embedding_gate.python_first_batch": _cheat(
        "the rows of the first call are used for ever", "wrong_value"
    ),
    "scatter_amax.python_include_self": Unsound(
        # stale memory may hold an earlier result, which is reported as a replay
        frozenset({"wrong_value", "nondeterministic", "cheated"}),
        "cells without points keep uninitialised memory",
    ),
    # An index is judged by the value that it points to, so that this one passes.
    "argmax_rows.cpp_running": Unsound(frozenset({"passed"}), "of equal scores the last one wins"),
    "swiglu_mlp.python_narrow": _wrong("everything is computed in bfloat16"),
    "linear_gelu_residual.cpp_transposed": _wrong(
        "GELU's tanh approximation where the exact one is asked for"
    ),
    "rotary_embedding.python_inplace": _broken_promise("the input is overwritten and returned"),
    "layer_norm.python_workspace": _broken_promise(
        "every call gives out the same buffer: the next overwrites the last"
    ),
    "pairwise_distance.python_deferred": _cheat(
        "a lazy tensor subclass: the work is done when the values are read", "wrong_structure"
    ),
}

# CUDA: judged if there is a GPU.
UNSOUND_ON_GPU: dict[str, Unsound] = {
    "row_l2_norm.cuda_block": Unsound(
        frozenset({"wrong_value", "nondeterministic"}),
        "no barrier between writing and reading the warps' sums",
    ),
    "linear_gelu_residual.cuda_stream": _cheat(
        "launched on a stream of its own that nothing waits for", "wrong_value", "nondeterministic"
    ),
}
