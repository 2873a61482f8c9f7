"""Honeypots: known cheats and known sound kernels among the samples of a queue.

`load_honeypots` stores them from a folder of kernels (`corpus` reads it), `told_after` says to a reviewer what the
sample just judged was, and `miss_rates` counts. Rules never see them: `datasets_app.curate.store` leaves them out.
"""

from datasets_app.review.honeypots.corpus import CorpusError
from datasets_app.review.honeypots.load import Loaded, load_honeypots
from datasets_app.review.honeypots.misses import Family, ReviewerMisses, families, miss_rates, told_after

__all__ = [
    "CorpusError",
    "Family",
    "Loaded",
    "ReviewerMisses",
    "families",
    "load_honeypots",
    "miss_rates",
    "told_after",
]
