"""The paths of pages whose address has no argument, resolved once per process: every page links to some twenty of them.

`path_of` is called by code, and `{% url %}` of templates calls it (`datasets_app/templatetags/links.py`).
"""

from functools import cache

from django.urls import reverse


@cache
def path_of(name: str) -> str:
    """Return the path of the page of this name."""
    return reverse(name)
