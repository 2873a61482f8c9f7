"""What a program looks like, read off its syntax tree without running it. Labels only: none refuses.

Text in comments says nothing here. Text in string literals is read only where it is C++ or CUDA for a
compiler, with the comments taken out first. What is labelled may be entirely honest: a label tells a person
where to look.
"""

from . import conduct, kernels
from .program import Label, Program

__all__ = ["Label", "Program", "label_program"]

_CHECKS = (*kernels.CHECKS, *conduct.CHECKS)


def label_program(source: str) -> list[Label]:
    """A candidate's labels, each code once, at its first place; none for a program that does not parse."""
    program = Program.read(source)
    if program is None:
        return []
    labels = (next(iter(check(program)), None) for check in _CHECKS)
    return [label for label in labels if label is not None]
