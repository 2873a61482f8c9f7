"""What the site writes into its logs: one record is one line, and no text of a stranger can look like another.

`escape.escaped` makes text safe for a line; `formatter` holds what `settings.LOGGING` names.
"""
