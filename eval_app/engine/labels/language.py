"""Detection of a candidate's language from its syntax tree and the native code in its strings."""

from __future__ import annotations

from eval_app.engine.contract.jobs import Language
from eval_app.engine.labels.program import Program


def detect(source: str) -> Language:
    """Return the language of a program's kernels; PYTHON if no other is found, or for a syntax error. HIP and SASS are
    never detected: whoever stores such a text names its language.

    A program with several counts as the first of CUDA, Triton and C++, which is what it needs to run.
    Comments, in Python and in C++ strings, are ignored.
    """
    program = Program.read(source)
    if program is None:
        return Language.PYTHON
    if program.is_cuda:
        return Language.CUDA
    if program.triton_kernels:
        return Language.TRITON
    return Language.CPP if program.native_texts or program.loads_extensions else Language.PYTHON


def unsupported(language: Language) -> str:
    """Return why this engine can run no kernel of the language, whatever the device; empty if it can."""
    if language is Language.HIP:
        return "the candidate is written in HIP and needs an AMD GPU with ROCm; this engine has none"
    if language is Language.SASS:
        return "the candidate is a listing of machine code, which nothing here assembles into a kernel"
    return ""


def needs_gpu(language: Language) -> bool:
    """Return whether the language cannot run on a CPU."""
    return language in (Language.CUDA, Language.TRITON)
