"""Browse: which samples, said by parameters, by a typed line and in words."""

from datasets_app.browse.errors import BrowseError
from datasets_app.browse.filter import BrowseFilter
from datasets_app.browse.typed import parse_query

__all__ = ["BrowseError", "BrowseFilter", "parse_query"]
