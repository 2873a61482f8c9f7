"""Colours of SASS and PTX: one regular expression match per token."""

import re
from collections.abc import Iterator

TOKEN = re.compile(
    r"""(?P<c>//[^\n]*|/\*.*?(?:\*/|\Z)|^[ \t]*\[[B\d-]+:R[\d-]:W[\d-]:[Y-]:S\d+\])
      | (?P<s>"[^"\n]*")
      | (?P<f>^[ \t]*[$.\w]+:(?=\s)|Function\ :\ \S+|(?<=\.entry\s)[\w$]+)
      | (?P<p>(?<![\w%])\.[A-Za-z]\w*(?:\.\w+)*)
      | (?P<v>%\w+(?:\.[xyz])?|\b(?:U?R(?:\d+|Z)|U?P(?:\d|T)|SR_\w+|c\[0x[0-9a-f]+\])(?![\w.]))
      | (?P<n>\b0[xXfFdD][0-9a-fA-F]+\b|(?<![\w.])-?\d+(?:\.\d+)?\b)
      | (?P<k>\b[A-Z][A-Z0-9]+(?:\.[A-Z0-9_]+)*\b|\b[a-z][a-z0-9]*(?:\.[a-z0-9_:]+)+\b|\b(?:ret|exit|bra|call)\b)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


def machine_pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield the whole text in pieces of one colour each: css class, text."""
    at = 0
    for match in TOKEN.finditer(text):
        if match.start() > at:
            yield "", text[at : match.start()]
        yield match.lastgroup or "", match[0]
        at = match.end()
    yield "", text[at:]
