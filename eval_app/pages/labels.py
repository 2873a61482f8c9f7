"""Meanings of the labels that the engine derives from a program's text; a label never refuses a kernel."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Meaning:
    """`says`: the observation. `so`: what to conclude or to do."""

    says: str
    so: str = ""


LABELS: dict[str, Meaning] = {
    "changes_precision_flags": Meaning(
        "The program sets a precision for the whole process, such as TF32.",
        "Expected outputs are computed in another process, so the tolerance is unaffected; check the kernel's error.",
    ),
    "no_custom_kernel": Meaning(
        "The program contains neither native nor Triton source.",
        "Any speedup comes from calling torch differently.",
    ),
    "patches_torch": Meaning(
        "The program replaces functions of a library.",
        "This affects only its own process: the judge is another one. Check the reason.",
    ),
    "read_by_signs": Meaning(
        "Native code under a preprocessor condition was read without a grammar.",
        "A label may rest on code that is never compiled. Install tree-sitter-cuda on the worker for exact labels.",
    ),
    "starts_threads": Meaning(
        "The program starts threads or processes.",
        "Work in them can escape a simple timer; the engine's clock includes it.",
    ),
    "touches_cache_policy": Meaning(
        "The program reserves L2 cache for persisting lines.",
        "The lines are reset between calls, so the times are those of a cold cache.",
    ),
    "touches_evaluator": Meaning(
        "The program accesses stack frames, other objects, the environment, other processes or the network.",
        "A kernel needs none of these. The sandbox contains it; read the code for its intent.",
    ),
    "try_fallback": Meaning(
        "A handler, or a context manager that swallows exceptions, goes on with something else when the kernel fails.",
        "The fallback may be what was verified; the GPU trace shows which one ran.",
    ),
    "uses_graph": Meaning(
        "The program replays a CUDA graph.",
        "Legitimate if the inputs are copied in; every output was checked.",
    ),
    "uses_library_gemm": Meaning(
        "The program calls a library's matrix product or convolution.",
        "Part of its time is the library's; see the share of its own kernels.",
    ),
    "uses_streams": Meaning(
        "The program creates CUDA streams.", "Their work is timed: the window ends when the device is idle."
    ),
    "uses_torch_compile": Meaning(
        "The program uses torch.compile.", "Compare it with the compiled baseline, not with eager."
    ),
    "weights_cached": Meaning(
        "A weight is transformed once and kept, or the output does not change when weights are replaced.",
        "Prepacked weights are legitimate for inference, but must be stated.",
    ),
}
