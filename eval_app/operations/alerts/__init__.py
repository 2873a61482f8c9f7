"""Alerts: rules over the state of the site, and who is told when one begins or ceases to hold.

`watch.Watch` is called by the sweeper: it evaluates `rules` and has `store` raise and clear alerts, each of which is a
row and one event for webhooks, in one transaction. A rule that cannot be evaluated changes nothing.
"""
