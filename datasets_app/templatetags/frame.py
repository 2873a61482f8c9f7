"""Parts of every page's frame that are rendered once per process: rendered for each page, they take as long as a short
list.
"""

from functools import cache, lru_cache

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

register = template.Library()
MOST_SHEETS = 100  # a page has one, and a rubric


@register.simple_tag
@cache
def site_head() -> SafeString:
    """Return the icon, the styles and the scripts of all pages."""
    return render_to_string("parts/_head.html")


@register.simple_tag(takes_context=True)
def site_footer(context: Context) -> SafeString:
    """Return the footer with the links that this person may follow."""
    user = context.get("user")
    return footer(
        is_signed_in=bool(user and user.is_authenticated),
        may_annotate=bool(context.get("may_annotate")),
        is_administrator=bool(context.get("is_administrator")),
    )


@cache
def footer(**reader: bool) -> SafeString:
    """Return the footer for one kind of reader."""
    return render_to_string("parts/_footer.html", reader)


@register.simple_tag(takes_context=True)
def key_sheet(context: Context) -> SafeString:
    """Return the list of the page's keys, which its view names in `page_keys`, and of those of all pages."""
    return sheet(tuple(tuple(row) for row in context.get("page_keys") or ()))


@lru_cache(maxsize=MOST_SHEETS)
def sheet(page_keys: tuple[tuple[str, ...], ...]) -> SafeString:
    return render_to_string("parts/_keys.html", {"page_keys": page_keys})
