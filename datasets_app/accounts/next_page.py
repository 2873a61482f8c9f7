"""Where a form leads when it is done: the address that it came with, if that is a page of this site."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

LONGEST = 2000  # characters; Django refuses to redirect to more than 2,048


def next_page(request: HttpRequest, otherwise: str) -> str:
    """Return the path in the field `next`, or `otherwise` where it is no safe path of this site.

    Use it with HttpResponseRedirect. Django's redirect() would first look the text up as the name of a view.
    """
    target = request.POST.get("next", request.GET.get("next", ""))
    return target if is_local_path(target, request.get_host()) else otherwise


def is_local_path(text: str, host: str) -> bool:
    """Return whether the text is a path of this site from its root on, such as /browse/?outcome=passed."""
    if not text.startswith("/") or len(text) > LONGEST or not text.isprintable():
        return False
    return url_has_allowed_host_and_scheme(text, {host}, require_https=False)
