"""Highlights programs, kernels and prose as numbered lines, safe to show whatever the text contains.

`lexing.pieces` splits a text into classified pieces, `lines.blocks` turns HTML lines into numbered blocks, and
`prose.shown_segments` renders a trace. Everything is a pure function of text: this package must never import a model.
"""

from datasets_app.browse.highlight.glossary import notes_for
from datasets_app.browse.highlight.lines import Block
from datasets_app.browse.highlight.markup import Html
from datasets_app.browse.highlight.prose import Mark, Names, ShownSegment, shown_segments

__all__ = [
    "Block",
    "Html",
    "Mark",
    "Names",
    "ShownSegment",
    "notes_for",
    "shown_segments",
]
