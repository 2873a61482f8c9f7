"""A release's rows to look at, as the Hub's viewer shows them: pages, search, filter, statistics of columns.

`rows.page(release, split, ...)` returns a bounded page for the site and for REST; `where.parse(text)` reads a filter
such as "speedup_over_eager" > 2 AND language = 'cuda'; `statistics.of_split(release, split)` summarises the columns;
`difference.between(release, other)` says which rows differ from another release, and why.
"""
