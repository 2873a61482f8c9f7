"""What the labels mean that the engine gives a program for its looks alone; they refuse nothing."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Meaning:
    """`says`: what was seen. `so`: what a reader should conclude, or do."""

    says: str
    so: str = ""


LABELS: dict[str, Meaning] = {
    "changes_precision_flags": Meaning(
        "The program sets a precision for the whole process, such as TF32.",
        "Truth is computed elsewhere, so it cannot lower the bar; it may lose precision itself.",
    ),
    "no_custom_kernel": Meaning(
        "The program holds no native or Triton source at all.",
        "What it gains, it gains by calling torch in another way.",
    ),
    "patches_torch": Meaning(
        "The program puts something of its own in a library's place.",
        "It works on nobody but itself here: the judge is another process. Look why.",
    ),
    "read_by_signs": Meaning(
        "Native code under a preprocessor's condition was read without a grammar.",
        "A label of this program may rest on code that is never compiled. tree-sitter-cuda on the worker settles it.",
    ),
    "starts_threads": Meaning(
        "The program starts threads or processes.", "Work in them can escape a naive clock, not this one."
    ),
    "touches_cache_policy": Meaning(
        "The program reserves cache for lines that persist.",
        "The lines are reset between calls; its times are those of a cold cache.",
    ),
    "touches_evaluator": Meaning(
        "The program looks at frames, other objects, the environment, other processes or the network.",
        "A kernel needs none of that. The sandbox holds it; read what it wanted.",
    ),
    "try_fallback": Meaning(
        "A handler goes on with something else when the kernel fails.",
        "It may be the fallback that was verified; the trace of the GPU tells.",
    ),
    "uses_graph": Meaning(
        "The program replays a CUDA graph.", "Fair where the inputs are copied in; every output was checked."
    ),
    "uses_library_gemm": Meaning(
        "The program calls a library's matrix product or convolution.",
        "Part of its time is the library's; see the share of its own kernels.",
    ),
    "uses_streams": Meaning(
        "The program makes streams of its own.", "Work on them counts: the window ends with the device idle."
    ),
    "uses_torch_compile": Meaning(
        "The program hands its work to torch.compile.",
        "Compare it with the compiled baseline, not with eager.",
    ),
    "weights_cached": Meaning(
        "A weight is transformed once and kept, or the output does not follow when weights are replaced.",
        "Prepacked weights are a fair trick for inference; it must be known.",
    ),
}
