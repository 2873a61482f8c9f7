"""Programs and kernels as highlighted, numbered lines, safe to show whatever the text holds."""

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
