"""Full-text search over program, trace and kernel: `query` asks, `index` keeps what is asked."""

from datasets_app.search.query import Term, is_common, matching_ids, numbers_with, pieces, terms

__all__ = ["Term", "is_common", "matching_ids", "numbers_with", "pieces", "terms"]
