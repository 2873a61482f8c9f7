"""On which line of a recipe's file each of its places is, for the sentences about faults.

Places are those of datasets_app.curate.definition: `2.0.minimum` is in the first rule inside the third.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
TOML_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.-]+)\s*\]")
TOML_KEY = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=")
TOML_QUOTES = re.compile(r'"""|\'\'\'')


def located(place: str, sentence: str, lines: Mapping[str, int]) -> str:
    """Return the sentence with the line, where it is known, and the rule's number as people count."""
    said = [f"line {lines[known]}"] if (known := nearest(place, lines)) else []
    numbers = [str(int(part) + 1) for part in place.split(".") if part.isdigit()]
    if numbers:
        said.append(f"rule {'.'.join(numbers)}")
    head = ", ".join(said)
    return f"{head[0].upper()}{head[1:]}: {sentence}" if head else sentence


def nearest(place: str, lines: Mapping[str, int]) -> str:
    """Return the place, or the innermost one around it, whose line is known; empty if there is none."""
    while place and place not in lines:
        place = place.rpartition(".")[0]
    return place


class JsonPath:
    """Where a reader of JSON tokens is: for each open bracket, the present key or index."""

    def __init__(self) -> None:
        self.at: list[str | int | None] = []  # None: an object whose next text is a key

    def place(self) -> str:
        return ".".join(str(part) for part in self.at if part != "rules") or ".".join(map(str, self.at))


def of_json(text: str) -> dict[str, int]:
    """Return the line of each place in a text that is JSON."""
    found: dict[str, int] = {}
    path, line, end = JsonPath(), 1, 0
    for match in JSON_TOKEN.finditer(text):
        line, end = line + text.count("\n", end, match.start()), match.start()
        sign, at = match[0], path.at
        if sign == "," and at:
            at[-1] = at[-1] + 1 if isinstance(at[-1], int) else None
        elif sign in "]}" and at:
            at.pop()
        elif at and at[-1] is None and sign.startswith('"'):
            at[-1] = json.loads(sign)
            found.setdefault(path.place(), line)
        elif sign in "[{":
            found.setdefault(path.place(), line)
            at.append(0 if sign == "[" else None)
    return found


def of_toml(text: str) -> dict[str, int]:
    """Return the line of each place in a text that is TOML. Places in inline tables are not known."""
    found: dict[str, int] = {}
    table, outer, inner, is_inside_text = "", -1, -1, False
    for number, line in enumerate(text.split("\n"), 1):
        if not is_inside_text:
            if header := TOML_HEADER.match(line):
                if header[1] == "[[" and header[2] == "rules":
                    outer, inner = outer + 1, -1
                    table = f"{outer}."
                elif header[1] == "[[" and header[2] == "rules.rules":
                    inner += 1
                    table = f"{outer}.{inner}."
                else:
                    table = f"{header[2]}."
                found.setdefault(table[:-1], number)
            elif assigned := TOML_KEY.match(line):
                found.setdefault(f"{table}{assigned[1]}", number)
        is_inside_text ^= len(TOML_QUOTES.findall(line)) % 2 == 1
    return found
