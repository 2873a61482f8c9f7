"""One verb over many samples: a selection, or everything that a filter matches; with an undo where that can be.

verb.py says what a verb is, verbs/ holds them, asking.py asks for one, run.py goes through the samples in
the order that groups.py says.
To add a verb: a subclass of Verb (of UndoableVerb, if it can be taken back) in verbs/, or in a layer above, registered
in its AppConfig.ready(); a form in templates/browse/verbs/_<name>.html; a test in tests/bulk/. The page, the API and
the audit log have it then.
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
