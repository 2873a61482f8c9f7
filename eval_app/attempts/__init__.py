"""Attempts of a verification: whose report counts, how long its lease lasts, and which messages no longer count.

`leases` holds, renews and requeues a row; `drop_messages` has workers drop messages of finished attempts. Every change
is one conditional UPDATE, so that several processes may try the same one. Never imports the queue, which sends rows.
"""
