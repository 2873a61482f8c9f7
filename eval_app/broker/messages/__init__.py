"""Signed messages between the site and the hosts that verify.

Anyone who reaches the broker can read and write its lists, so no message is trusted without a signature.
`envelope` signs and verifies bytes with Ed25519; `keys` is a host's key as one line of text;
`celery_messages` carries envelopes in the headers of Celery's messages (jobs and the site's own tasks);
`transport` is kombu's Redis transport without Lua. These four import no Django: hosts use them as well.

On the site only: `registry` adds, rotates and revokes hosts; `site_key` signs what the site sends; `inbox`
reads the hosts' lists and passes each message to `inbound`, which decides whether it counts; `host_contact`
says whether leases may be ended.
"""
