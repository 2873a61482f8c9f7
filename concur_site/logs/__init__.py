"""Writes the site's logs: one record is one line, and user-supplied text cannot forge another record.

`escape.escaped` makes text safe for a line; `formatter` and `links` contain the classes that `settings.LOGGING` names.
"""
