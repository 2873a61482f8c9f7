"""Why a suggestion, or an answer to one, was not stored."""


class SuggestionError(ValueError):
    """A sentence for the reviewer or the program. Nothing was stored."""
