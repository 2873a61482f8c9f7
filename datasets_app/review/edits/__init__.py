"""Edits that prove themselves: a proposed trace or kernel becomes a sample only when the engine passed it.

`store_edit` and `store_version` check and keep the texts (`texts`, `propose`), `standing_of` says how far an edit is
(`status`), `withdraw_edit` and `accept_edit` end it (`withdraw`, `accept`), and `history_of` says what of a base's
reviews still applies to a revision (`approvals`). The runs are requested by `eval_app.request.edits`, which pages and
REST call. A proposed text is in no table that lists, counts or releases read: see `models.edit`.
"""

from datasets_app.review.edits.accept import accept_edit, may_accept
from datasets_app.review.edits.approvals import history_of
from datasets_app.review.edits.errors import EditChangedError, EditClosedError, EditError, SupersededError
from datasets_app.review.edits.propose import store_edit, store_version
from datasets_app.review.edits.status import EditStatus, Standing, standing_of, standings_of
from datasets_app.review.edits.withdraw import may_change, withdraw_edit

__all__ = [
    "EditChangedError",
    "EditClosedError",
    "EditError",
    "EditStatus",
    "Standing",
    "SupersededError",
    "accept_edit",
    "history_of",
    "may_accept",
    "may_change",
    "standing_of",
    "standings_of",
    "store_edit",
    "store_version",
    "withdraw_edit",
]
