"""The rubric: what a review scores, the reasons that it may give, and what it must contain; data in numbered versions.

The site has one rubric. `current_rubric()` returns its newest version, which every new form follows; each review keeps
the version that it was made under. `publish` (for curators) adds a version, after `definition` has checked it: versions
are immutable, so that an old review can always be read as it was meant. A criterion or reason is the same one in two
versions if its name is the same. The three verdicts are no part of it: the policy of verdicts speaks of them.
"""

from datasets_app.review.rubric.fields import SCORES, VERDICTS, Choice, criteria_for, reason_field
from datasets_app.review.rubric.publish import RubricOutdatedError, publish
from datasets_app.review.rubric.versions import current_rubric, is_outdated, rubric_numbered, rubric_of_text

__all__ = [
    "SCORES",
    "VERDICTS",
    "Choice",
    "RubricOutdatedError",
    "criteria_for",
    "current_rubric",
    "is_outdated",
    "publish",
    "reason_field",
    "rubric_numbered",
    "rubric_of_text",
]
