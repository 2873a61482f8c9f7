"""Texts from submitted code, made fit for a report, a page and a terminal."""


def printable(text: str, also: str = "") -> str:
    """Return the text with a question mark in place of each character that neither prints nor is in `also`."""
    return "".join(char if char.isprintable() or char in also else "?" for char in text)
