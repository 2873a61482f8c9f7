"""Repeated parts of the list page, which Python renders faster than a template does."""

from collections.abc import Iterable

from django import template

from datasets_app.browse.highlight import Html
from datasets_app.browse.list import cells, facet_items
from datasets_app.browse.list.columns import Column
from datasets_app.browse.list.facets import Facet, FacetValue
from datasets_app.browse.list.listing import Listing

register = template.Library()


@register.simple_tag
def table_rows(columns: Iterable[Column], rows: Iterable[cells.ShownRow], with_boxes: bool) -> Html:
    """Return the table's body; `with_boxes`: each row can be selected."""
    return cells.table_rows(rows, columns, with_boxes=with_boxes)


@register.simple_tag
def facet_values(listing: Listing, facet: Facet, values: Iterable[FacetValue]) -> Html:
    """Return list items that each set or clear a value."""
    return facet_items.facet_items(listing, facet, values)
