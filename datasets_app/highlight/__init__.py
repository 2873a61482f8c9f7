"""Programs and kernels as highlighted, numbered lines, safe to show whatever the text holds."""

from datasets_app.highlight.lines import Block, code_blocks
from datasets_app.highlight.markup import Html
from datasets_app.highlight.outline import Entry, outline
from datasets_app.highlight.prose import ShownSegment, definitions, shown_segments

__all__ = [
    "Block",
    "Entry",
    "Html",
    "ShownSegment",
    "code_blocks",
    "definitions",
    "outline",
    "shown_segments",
]
