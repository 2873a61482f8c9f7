"""Writes the site's logs: one record is one line, and user-supplied text cannot forge another record.

`requests` gives each request an id; `counting` counts errors for /metrics; datasets_app/log_context/ has what hosts
share. `escape.escaped` makes text safe for a line; `formatter` contains the classes that `settings.LOGGING` names.
"""
