"""Programs and kernels as highlighted, numbered lines, safe to show whatever the text holds."""

from datasets_app.highlight.lines import Block, code_blocks
from datasets_app.highlight.markup import Html
from datasets_app.highlight.outline import Entry, outline

__all__ = ["Block", "Entry", "Html", "code_blocks", "outline"]
