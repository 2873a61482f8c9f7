"""How much room a row of the list takes."""

from datasets_app.browse.query.errors import BrowseError

COMFORTABLE, COMPACT = "comfortable", "compact"
DENSITIES = (COMFORTABLE, COMPACT)


def density_named(text: str) -> str:
    """The usual one for an empty text. Raises BrowseError."""
    if text and text not in DENSITIES:
        raise BrowseError(
            {"density": [f"density does not know {text!r:.60}; choose from {', '.join(DENSITIES)}."]}
        )
    return text or COMFORTABLE
