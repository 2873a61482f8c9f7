"""Find a release for its reader: an account, a program with a token, or a stranger, who reads public ones only."""

from __future__ import annotations

from django.http import Http404

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.ownership import readable_releases
from datasets_app.models import Release

SIGN_IN = "There is no public release {name}. If it needs an account, sign in or send a token that may read."
# The same for a private release as for a name of none: nobody learns names by trying them.
MISSING = (
    "There is no release {name} that you may read. If it is private, its creator or a curator can name you among its "
    "readers."
)


class NeedsAccountError(Exception):
    """A stranger asked for a release that is not public, or that there is not: the answer is the same."""


def find_readable(name: str, actor: Actor) -> Release:
    """Return the release. Raises NeedsAccountError or Http404, each with a sentence."""
    releases = readable_releases(actor).select_related(
        "stored_publication__superseded_by", "recipe", "created_by"
    )
    release = releases.filter(name=name).first()
    if release is not None:
        return release
    if actor.user is None:
        raise NeedsAccountError(SIGN_IN.format(name=name))
    raise Http404(MISSING.format(name=name))
