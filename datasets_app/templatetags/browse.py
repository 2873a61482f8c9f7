"""Small helpers of the browse, sample and task pages."""

from collections.abc import Mapping
from typing import Any

from django import template

from datasets_app.browse import formats
from datasets_app.browse.highlight.markup import Html, safe
from datasets_app.ingest.other_claims import KEY as ALSO_CLAIMED

register = template.Library()
register.filter(formats.kilobytes)
register.filter(formats.half_width)


@register.filter
def at(mapping: Mapping[str, Any], key: str) -> Any:
    """The value under a key that is itself a value of the page."""
    return mapping.get(key, "")


@register.filter
def also_claimed(extra: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What other sources, or the same one on another device, claim of the same triple."""
    kept = extra.get(ALSO_CLAIMED)
    return [one for one in kept if isinstance(one, dict)] if isinstance(kept, list) else []


@register.filter
def columns(extra: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The source's own columns: what is kept beside them is shown elsewhere."""
    return [(name, value) for name, value in extra.items() if name != ALSO_CLAIMED]


@register.filter
def visible(text: Any) -> Html:
    """Text that a model wrote: escaped, and with every hidden character shown."""
    return Html(safe(str(text)))


@register.filter
def visible_lines(text: Any) -> Html:
    """Prose that a person wrote: as `visible`, with its line ends; a browser's CR LF is one of them."""
    return Html(safe(str(text).replace("\r\n", "\n")).replace("\n", "<br>"))


@register.filter
def beginning(text: Any, most: int) -> Html:
    """The first characters of a text that may be long, and how many more there are."""
    text = str(text)
    more = f" … {len(text) - most:,} more characters" if len(text) > most else ""
    return Html(f"{safe(text[:most])}{more}")


@register.filter
def spaced(code: str) -> str:
    """precision_downgrade as precision downgrade."""
    return code.replace("_", " ").replace("-", " ")


@register.filter
def marked(parts: list[tuple[bool, str]]) -> Html:
    """A line of a difference, with the words that changed marked."""
    return Html("".join(f"<mark>{safe(text)}</mark>" if changed else safe(text) for changed, text in parts))


@register.filter
def answer(value: Any) -> Html:
    """An answer of the admission test: yes, no, or a number."""
    return visible({True: "yes", False: "no"}[value] if isinstance(value, bool) else value)
