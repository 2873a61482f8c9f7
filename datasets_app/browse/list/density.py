"""Row heights of the list."""

from datasets_app.browse.query.errors import BrowseError

COMFORTABLE, COMPACT = "comfortable", "compact"
DENSITIES = (COMFORTABLE, COMPACT)


def density_named(text: str) -> str:
    """Return the density of this name; the default one for an empty text. Raises BrowseError."""
    if text and text not in DENSITIES:
        raise BrowseError(
            {"density": [f"there is no density {text!r:.60}; choose from {', '.join(DENSITIES)}."]}
        )
    return text or COMFORTABLE
