"""A host that verifies: it has the broker's address, a key of its own, and the engine. No Django, no database.

`python -m eval_app.host` needs REDIS_URL and CONCUR_HOST_KEY. It runs its self-test, announces itself, takes jobs that
the site signed from the queues of its devices, and sends signed reports to its own list in Redis.
"""
