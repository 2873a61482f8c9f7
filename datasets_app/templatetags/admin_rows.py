"""The rows of the admin's lists."""

from collections.abc import Iterable, Iterator
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()
NOTHING = (">–</td>", ">-</td>")  # ends of cells without a value, which a phone leaves out


@register.filter
def labelled(cells: Iterable[SafeString], headers: Iterable[dict[str, Any]]) -> Iterator[SafeString]:
    """Return the cells of a row, each with its column's name, which a phone shows before the value."""
    for cell, header in zip(cells, headers, strict=False):
        yield label(cell, header) if cell.startswith("<td") and header.get("sortable") else cell


def label(cell: SafeString, header: dict[str, Any]) -> SafeString:
    """Return Django's HTML of a cell with the column's name as an attribute."""
    name = str(header["text"])
    rest = cell.removeprefix("<td")
    if rest.endswith(NOTHING):
        rest = rest.replace('class="', 'class="is-none ', 1)
    return format_html('<td data-label="{}"{}', name[:1].lower() + name[1:], SafeString(rest))
