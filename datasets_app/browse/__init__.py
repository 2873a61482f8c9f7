"""The browse stage: filtered, searched and sorted lists of samples, and the pages of a sample and of a task.

`query.BrowseFilter` is a selection of samples, parsed from a URL or from a typed query line; other stages accept one
to select samples. `list`, `sample` and `task` hold the content of the three pages; `panes` and `highlight` are pure
functions of text. This module stays empty: `panes` is also imported by processes without settings, so that nothing
above it may import a model.
"""
