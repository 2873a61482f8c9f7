"""Writes the site's logs: one record is one line, and no text of a stranger can look like another record.

`escape.escaped` makes text safe for a line; `formatter` holds what `settings.LOGGING` names.
"""
