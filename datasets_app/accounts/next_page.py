"""The redirect target of a form: the address in its field `next`, if that is a page of this site."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

LONGEST = 2000  # characters; Django refuses to redirect to more than 2,048


def next_page(request: HttpRequest, otherwise: str) -> str:
    """Return the path in the field `next`, or `otherwise` if it is not a safe path of this site.

    Use it with HttpResponseRedirect: Django's redirect() would first try the text as the name of a view.
    """
    target = request.POST.get("next", request.GET.get("next", ""))
    return target if is_local_path(target, request.get_host()) else otherwise


def is_local_path(text: str, host: str) -> bool:
    """Return whether the text is an absolute path of this site, such as /browse/?outcome=passed."""
    if not text.startswith("/") or len(text) > LONGEST or not text.isprintable():
        return False
    return url_has_allowed_host_and_scheme(text, {host}, require_https=False)
