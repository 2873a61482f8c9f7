"""Search: words of program, trace and kernel (`query`), any part of the code (`code`); `index` maintains both
indexes.
"""

from datasets_app.db.text_index.code import Wanted, matching_code, numbers_holding
from datasets_app.db.text_index.query import Term, matching_ids, numbers_with, pieces, terms

__all__ = [
    "Term",
    "Wanted",
    "matching_code",
    "matching_ids",
    "numbers_holding",
    "numbers_with",
    "pieces",
    "terms",
]
