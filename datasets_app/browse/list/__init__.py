"""The list of samples: rows, columns, sorting, facets, histograms, saved views and tags.

`listing.listing` builds the page's content from a filter of `browse.query`.
"""
