"""Which samples: filters from an address or from a typed query line, and the completion of that line.

`BrowseFilter` is a filter as the rest of the site uses it; `parse_query` makes one from what a person types, and
BrowseError carries the sentence for that person. A field is registered in `vocabulary`; the kinds of fields are in
`fields`. This package imports shared packages and models, and no other stage.
"""

from datasets_app.browse.query.errors import BrowseError
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.typed import parse_query

__all__ = ["BrowseError", "BrowseFilter", "parse_query"]
