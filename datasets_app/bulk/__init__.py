"""Applies one verb to many samples: a selection, or everything that a filter matches; with an undo where possible.

`asking.start` requests a bulk action and `run.run_bulk` works through its samples in the order of `groups`. verb.py
defines what a verb is, and verbs/ holds them. To add one: a subclass of Verb (of UndoableVerb, if it can be undone) in
verbs/, or in a layer above, registered in its AppConfig.ready(); a form in templates/browse/verbs/_<name>.html; a test
in tests/bulk/. The page, the API and the audit log then have it. This package may import every stage that its verbs act
on.
"""

from datasets_app.bulk.asking import dismiss, latest_of, start, undo
from datasets_app.bulk.target import Target
from datasets_app.bulk.verb import VERBS, BulkError, UndoableVerb, Verb, register

__all__ = [
    "VERBS",
    "BulkError",
    "Target",
    "UndoableVerb",
    "Verb",
    "dismiss",
    "latest_of",
    "register",
    "start",
    "undo",
]
