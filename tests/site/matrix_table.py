"""The golden table of the access matrix: what every address answers to every method and every visitor."""

from functools import cache
from pathlib import Path

from tests.site.matrix import VISITORS, Route

GOLDEN = Path(__file__).with_name("matrix.txt")
REFUSED = "405"


def table() -> list[str]:
    lines = GOLDEN.read_text().splitlines() if GOLDEN.exists() else []
    return [line for line in lines if not line.startswith("#")]


def is_api_line(line: str) -> bool:
    return len(line.split()) == 2 + len(VISITORS)


@cache
def rows() -> list[tuple[str, str, dict[str, str]]]:
    """Return (method, address, visitor to status) of every line; a status is text, with its *."""
    found = []
    for text in table():
        method, address, *statuses = text.split()
        names = VISITORS if is_api_line(text) else VISITORS[:5]
        found.append((method, address, dict(zip(names, statuses, strict=True))))
    return found


@cache
def by_request() -> dict[tuple[str, str], dict[str, str]]:
    """Return the table's statuses by method and address."""
    return {(method, address): statuses for method, address, statuses in rows()}


def statuses_of(route: Route, method: str) -> dict[str, str]:
    """Return what the table says of a request, by visitor: nothing of an address that it does not have yet."""
    return by_request().get((method, f"/{route.pattern}"), {})


def refused_to_all(statuses: dict[str, str]) -> bool:
    """Return whether everybody who is signed in is told that the address does not have the method."""
    return {status for visitor, status in statuses.items() if visitor != "anonymous"} == {REFUSED}


def methods_of(route: Route, methods: tuple[str, ...] | list[str]) -> list[str]:
    """Return those of the methods that the address has by the table.

    The others are refused before anything is read or written, which test_matrix.py asks each address.
    """
    return [method for method in methods if not refused_to_all(statuses_of(route, method))]
