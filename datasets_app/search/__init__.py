"""Full-text search over program, trace and kernel: `query` asks, `index` keeps what is asked."""

from datasets_app.search.query import Term, matching_ids, numbers_with, pieces, terms

__all__ = ["Term", "matching_ids", "numbers_with", "pieces", "terms"]
