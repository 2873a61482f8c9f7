"""Suggestions, never decisions: what rules and models would say about a sample, and what reviewers made of it.

`offered` (`offers`) returns what a review page shows and records that it was shown; `take` and `drop` (`answers`) are
the reviewer's replies; `post_suggestions` and `withdraw_suggestion` (`posted`) are for programs; `suggestion_report`
(`report`) says how often each maker agrees with people. Rules from evidence are in `rules`.

Nothing here changes a verdict, a recipe or a queue. A form starts empty whatever is suggested: a verdict that is
chosen already would be saved by whoever does not look (anchoring). A saved review finds its suggestions by itself
(`SuggestionAnswer.objects.settle`), so that the review stage needs nothing from here.
"""

from datasets_app.review.suggestions.answers import drop, take
from datasets_app.review.suggestions.errors import SuggestionError
from datasets_app.review.suggestions.offers import Offer, offered, readable_suggestions
from datasets_app.review.suggestions.posted import MOST_POSTED, Posted, post_suggestions, withdraw_suggestion
from datasets_app.review.suggestions.report import suggestion_report

__all__ = [
    "MOST_POSTED",
    "Offer",
    "Posted",
    "SuggestionError",
    "drop",
    "offered",
    "post_suggestions",
    "readable_suggestions",
    "suggestion_report",
    "take",
    "withdraw_suggestion",
]
