"""Agreement between reviewers: how often they agree, and how much of it is more than chance.

`agreement()` returns all numbers of one field of the rubric (`report`), from the newest review of each reviewer
(`ratings`). `coefficients` has Cohen's kappa, Fleiss' kappa and Krippendorff's alpha, `bootstrap` their intervals: both
are pure and know neither samples nor the database. Nothing here imports numpy, so that no page needs it.
"""

from datasets_app.resampling import RESAMPLES
from datasets_app.review.agreement.bootstrap import FEWEST_SAMPLES
from datasets_app.review.agreement.ratings import MOST_REVIEWS, rubric_fields
from datasets_app.review.agreement.report import Agreement, agreement

__all__ = ["FEWEST_SAMPLES", "MOST_REVIEWS", "RESAMPLES", "Agreement", "agreement", "rubric_fields"]
