"""Escapes user-supplied text for a line of a log or a terminal."""


def escaped(text: str) -> str:
    """Return `text` with every non-printing character as an escape, such as \\n or \\x1b.

    Line breaks would forge a line, escape sequences colour or move the terminal, bidirectional marks reorder it.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\t" else as_escape(char) for char in text)


def as_escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
