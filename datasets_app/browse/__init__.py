"""The browse stage: lists of samples that are filtered, searched and sorted, and the pages of a sample and of a task.

`query.BrowseFilter` is a selection of samples, parsed from an address or from a typed query line; other stages take
one to say which samples they mean. `list`, `sample` and `task` hold what the three pages show; `panes` and `highlight`
are pure functions of text. This module stays empty: `panes` is also imported by processes that have no settings, so
that nothing above it may import a model.
"""
