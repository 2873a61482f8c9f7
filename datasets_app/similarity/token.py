"""One token of a program, in its two spellings."""

from typing import NamedTuple

OWN_NAME = "_"  # replaces any name that the author chose


class Token(NamedTuple):
    text: str  # as written
    shape: str  # OWN_NAME if the text is a name of the author's
