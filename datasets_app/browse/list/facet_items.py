"""Renders the values of a facet. A page links to a hundred of them, each with the rest of its URL."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from urllib.parse import quote_plus, urlencode

from datasets_app.browse.highlight import Html
from datasets_app.browse.highlight.markup import safe
from datasets_app.browse.list.facets import Facet, FacetValue
from datasets_app.browse.list.listing import Listing
from datasets_app.browse.query.negated import MINUS, PARAMETERS

EXCLUDED = '<span class="facet-not">not</span> '
ORDER = {name: at for at, name in enumerate(PARAMETERS)}


def facet_items(listing: Listing, facet: Facet, values: Iterable[FacetValue]) -> Html:
    """Return a list item per value: its label, its number of samples, and a link that adds or removes it."""
    values, address = list(values), toggling(listing, facet.name)
    any_excluded = any(value.excluded for value in values)
    excluding = toggling(listing, MINUS + facet.name) if any_excluded else address
    return Html(
        "".join(
            facet_item(value, (excluding if value.excluded else address)(value.value)) for value in values
        )
    )


def facet_item(value: FacetValue, url: str) -> str:
    current = ' aria-current="true"' if value.chosen or value.excluded else ""
    excluded = " is-excluded" if value.excluded else ""
    word = f"{EXCLUDED if value.excluded else ''}{safe(value.word)}"
    return (
        f'<li><a href="{escape(url)}" class="facet-value{excluded}"{current}>'
        f'<span class="tick" aria-hidden="true"></span><span class="facet-word">{word}</span> '
        f'<span class="num">{value.count:,}</span></a></li>'
    )


def toggling(listing: Listing, name: str) -> Callable[[str], str]:
    """Return a function from a value of `name` to the URL with that value added or removed."""
    had = listing.filter.get(name)
    others = [(other, values) for other, values in listing.filter.values if other != name]
    before = urlencode([part for part in others if ORDER[part[0]] < ORDER[name]], doseq=True)
    after = urlencode([part for part in others if ORDER[part[0]] > ORDER[name]], doseq=True)
    beside = urlencode([*listing.view_params, *listing.view_param])
    key = quote_plus(name)

    def address(value: str) -> str:
        added = [*had, value] if PARAMETERS[name].many else [value]
        values = [other for other in had if other != value] if value in had else added
        own = "&".join([f"{key}={quote_plus(text)}" for text in values])
        return listing.address("&".join(part for part in (before, own, after, beside) if part))

    return address
