"""Signed messages between the site and the hosts that verify. Imports no Django: hosts use it as well.

Anyone who reaches the broker can read and write its lists, so no message is trusted without a signature.
`envelope` signs and verifies bytes with Ed25519; `keys` is a host's key as one line of text;
`celery_messages` carries envelopes in the headers of Celery's messages (jobs and the site's own tasks);
`transport` is kombu's Redis transport without Lua; `acl` prints the Redis account of a host.
"""
