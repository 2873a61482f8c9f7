"""Filters of the browse, sample and task pages."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from django import template

from datasets_app.browse import formats
from datasets_app.browse.highlight.markup import Html, safe, span
from datasets_app.models.source_claim import ALSO_CLAIMED, labelled
from datasets_app.syntax.diff import Part

register = template.Library()
register.filter(formats.kilobytes)
register.filter(formats.half_width)


@register.filter
def at(mapping: Mapping[str, Any], key: str) -> Any:
    """Return the value of a key that is a variable of the page."""
    return mapping.get(key, "")


@register.filter
def also_claimed(extra: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the claims that other sources, or the same one on another device, make about the same sample."""
    claims = extra.get(ALSO_CLAIMED)
    return [claim for claim in claims if isinstance(claim, dict)] if isinstance(claims, list) else []


@register.filter
def claimed(claims: Any) -> list[tuple[str, str]]:
    """Return everything that a source claims about a sample, each as a label and words."""
    return labelled(claims) if isinstance(claims, list) else []


@register.filter
def columns(extra: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the source's own columns, without the entries that the site adds."""
    return [(name, value) for name, value in extra.items() if name != ALSO_CLAIMED]


@register.filter
def visible(text: Any) -> Html:
    """Return text that a model wrote, escaped and with hidden characters made visible."""
    return Html(safe(str(text)))


@register.filter
def visible_lines(text: Any) -> Html:
    """Return prose that a person wrote: as `visible`, with line ends; CR LF from browsers counts as one."""
    return Html(safe(str(text).replace("\r\n", "\n")).replace("\n", "<br>"))


@register.filter
def beginning(text: Any, most: int) -> Html:
    """Return the first characters of a long text, and how many more there are."""
    text = str(text)
    more = f" … {len(text) - most:,} more characters" if len(text) > most else ""
    return Html(f"{safe(text[:most])}{more}")


@register.filter
def spaced(code: str) -> str:
    """Return precision_downgrade as precision downgrade."""
    return code.replace("_", " ").replace("-", " ")


@register.filter
def marked(parts: list[Part]) -> Html:
    """Return a line of a difference, with the changed words marked and, where they are known, its tokens coloured."""
    runs = groupby(parts, key=lambda part: part[0])
    shown = ((changed, "".join(span("".join(part[2:]), part[1]) for part in run)) for changed, run in runs)
    return Html("".join(f"<mark>{html}</mark>" if changed else html for changed, html in shown))


@register.filter
def answer(value: Any) -> Html:
    """Return an answer of the admission test: yes, no, or a number."""
    return visible({True: "yes", False: "no"}[value] if isinstance(value, bool) else value)
