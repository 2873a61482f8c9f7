"""Maximum lengths of free text, in characters."""

LONGEST_TITLE = 200
LONGEST_TEXT = 20_000  # comments, descriptions, notes
LONGEST_QUERY = 4_000  # a filter, as query line or as URL parameters
LONGEST_REASON = 1_000  # characters of why something was withdrawn
LONGEST_ACTIVE_S = 86_400  # a review's active seconds: a day
