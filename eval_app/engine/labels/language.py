"""What a candidate is written in, read off its syntax tree and the native text in its strings."""

from __future__ import annotations

from eval_app.engine.contract.jobs import Language
from eval_app.engine.labels.program import Program


def detect(source: str) -> Language:
    """The language of a program's kernels; PYTHON where nothing else shows, a syntax error included.

    A program with several counts as the first of CUDA, Triton and C++: that is what it needs to run. Comments,
    Python's and those in C++ texts, say nothing.
    """
    program = Program.read(source)
    if program is None:
        return Language.PYTHON
    if program.is_cuda:
        return Language.CUDA
    if program.triton_kernels:
        return Language.TRITON
    return Language.CPP if program.native_texts or program.loads_extensions else Language.PYTHON


def needs_gpu(language: Language) -> bool:
    """Whether no CPU can run it."""
    return language in (Language.CUDA, Language.TRITON)
