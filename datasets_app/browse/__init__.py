"""Browse: which samples, said by parameters, by a typed line and in words."""

from datasets_app.browse.query.errors import BrowseError
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.typed import parse_query

__all__ = ["BrowseError", "BrowseFilter", "parse_query"]
