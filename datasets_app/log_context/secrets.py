"""Takes secrets out of text on its way to a log. The last guard: nothing should log one in the first place."""

import re

HIDDEN = "[hidden]"
PATTERNS = [
    # Links that open something by themselves: Django logs the path of each request that it refuses.
    (re.compile(r"(/account/(?:join|reset/[^/\s]{1,64})/)[^/\s]+"), rf"\1{HIDDEN}"),
    (re.compile(r"\b(cw1\.[a-z0-9-]{1,60}\.)[0-9a-f]{16,}(\.[0-9a-f]+)?"), rf"\1{HIDDEN}"),  # a host's key
    (re.compile(r"\b(cw_|whsec_|hf_|sk-)[A-Za-z0-9_-]{16,}"), rf"\1{HIDDEN}"),  # tokens, by their first letters
    (re.compile(r"(://[^\s:/@]*):[^\s/@]+@"), rf"\1:{HIDDEN}@"),  # a password in an address
    (re.compile(r"\b(bearer|basic)(\s+)[A-Za-z0-9+/=_.~-]{8,}", re.IGNORECASE), rf"\1\2{HIDDEN}"),
    (
        re.compile(r"(?<![\w-])((?:[\w-]*(?:password|passwd|secret|api[_-]?key|token|sessionid))['\"]?\s*[=:]\s*['\"]?)"
                   r"[^\s'\"&,;)}\]]{4,}", re.IGNORECASE),
        rf"\1{HIDDEN}",
    ),
]  # fmt: skip


def without_secrets(text: str) -> str:
    """Return `text` with `[hidden]` for tokens, keys and passwords."""
    for pattern, shown in PATTERNS:
        text = pattern.sub(shown, text)
    return text
