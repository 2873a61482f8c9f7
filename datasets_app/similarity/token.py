"""One token of a program, in its two spellings."""

from typing import NamedTuple

OWN_NAME = "_"  # stands for any name that the writer chose


class Token(NamedTuple):
    text: str  # as written
    shape: str  # OWN_NAME where the text is a name of the writer's
