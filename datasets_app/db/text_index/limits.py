"""The indexed length of a text: its first part, so that one long row does not block a writer or the indexer."""

WORD_CHARS = 1_000_000
CODE_CHARS = 300_000
