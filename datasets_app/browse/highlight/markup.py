"""HTML that is safe by construction: text enters it escaped only."""

import re
import unicodedata
from html import escape

from django.utils.safestring import SafeString

from datasets_app.text_input.characters import HIDDEN

SHORT = {
    0x00: "NUL", 0x07: "BEL", 0x08: "BS", 0x0D: "CR", 0x1B: "ESC", 0x7F: "DEL", 0xAD: "SHY", 0x61C: "ALM",
    0x200B: "ZWSP", 0x200C: "ZWNJ", 0x200D: "ZWJ", 0x200E: "LRM", 0x200F: "RLM", 0x2028: "LS", 0x2029: "PS",
    0x202A: "LRE", 0x202B: "RLE", 0x202C: "PDF", 0x202D: "LRO", 0x202E: "RLO", 0x2060: "WJ", 0x2066: "LRI",
    0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0xFEFF: "BOM",
}  # fmt: skip
PLAIN = re.compile(r"[\t\n -%'-;=?-~]*+")  # nothing to escape and nothing hidden, as in most pieces
CLASS = re.compile(r"[a-z-]*")


UNSEEN = "\N{REPLACEMENT CHARACTER}"


class Html(SafeString):
    """A finished piece of HTML, made by safe() and of constant tags. Templates insert it unescaped."""

    __slots__ = ()


def marker(match: re.Match[str]) -> str:
    """Return a visible sign with the name of a hidden character."""
    code = ord(match[0])
    name = unicodedata.name(match[0], f"control character {code:#04x}").lower()
    return f'<span class="ctl" title="U+{code:04X} {escape(name)}">{SHORT.get(code, f"{code:X}")}</span>'


def safe(text: str) -> str:
    """Return `text` as HTML: escaped, with every hidden character made visible."""
    if PLAIN.fullmatch(text):
        return text
    escaped = escape(text, quote=False)
    return HIDDEN.sub(marker, escaped) if HIDDEN.search(escaped) else escaped


def plain(text: str) -> str:
    """Return `text` escaped, at most five times as long: hidden characters become replacement characters."""
    return text if PLAIN.fullmatch(text) else HIDDEN.sub(UNSEEN, escape(text, quote=False))


def span(css_class: str, text: str) -> str:
    """Return `text` in a span of this class; without a span if the class is empty."""
    assert CLASS.fullmatch(css_class), css_class
    return f'<span class="{css_class}">{safe(text)}</span>' if css_class else safe(text)
