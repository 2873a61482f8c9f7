"""Filters of samples, parsed from a URL or from a typed query line, and the completion of that line.

`BrowseFilter` is the filter that the rest of the site uses; `parse_query` parses typed text, and BrowseError carries
the message for the person who typed it. Fields are registered in `vocabulary`; the kinds of fields are in `fields`.
This package imports shared packages and models, and no other stage.
"""

from datasets_app.browse.query.errors import BrowseError
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.typed import parse_query

__all__ = ["BrowseError", "BrowseFilter", "parse_query"]
