"""Maximum lengths of free text, in characters."""

LONGEST_TITLE = 200
LONGEST_TEXT = 20_000  # comments, descriptions, notes
LONGEST_QUERY = 4_000  # a filter, as query line or as URL parameters
