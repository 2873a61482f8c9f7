"""How many characters each free text may have."""

LONGEST_TITLE = 200
LONGEST_TEXT = 20_000  # comments, descriptions, notes
LONGEST_QUERY = 4_000  # a filter as it is typed, or as the parameters of an address
