"""Signed messages between the site and the hosts that verify.

Whoever reaches the broker can read and write its lists, so nothing that comes out of it is believed for being there.
`envelope` signs and opens bytes with Ed25519; `keys` is a host's key as one line of text; `celery_messages` carries
envelopes in the headers of Celery's messages (the site's jobs and its own tasks); `transport` is kombu's Redis
transport without Lua. These four import no Django: a host has them as well.

Only on the site: `registry` adds, rotates and revokes hosts; `site_key` signs what the site sends; `inbox` reads what
hosts send, one list per host, and gives each message to `inbound`, which decides whether it counts.
"""
