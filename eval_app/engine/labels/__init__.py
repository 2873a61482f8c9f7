"""Static labels: what a program looks like, from its syntax tree, without running it. Labels reject nothing.

`label_program` returns the labels of a candidate, `language.detect` its language. Comments are ignored.
String literals are only read if they hold C++ or CUDA for a compiler, without comments. A labelled program
may be entirely honest: a label tells a person where to look. Works without torch, and without tree-sitter.
"""

from . import conduct, kernels
from .program import Label, Program

__all__ = ["Label", "Program", "label_program"]

_CHECKS = (*kernels.CHECKS, *conduct.CHECKS)


def label_program(source: str) -> list[Label]:
    """Return a candidate's labels, the first one per code; empty for a program that does not parse."""
    program = Program.read(source)
    if program is None:
        return []
    labels = (next(iter(check(program)), None) for check in _CHECKS)
    return [label for label in labels if label is not None]
