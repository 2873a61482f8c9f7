"""A host that verifies: it has the broker, the engine and nothing else. No Django, no database, no secret.

`python -m eval_app.host` needs REDIS_URL. It proves itself, says what it is, takes one message a lane from
the queues of its devices, and sends what it found to the site's queue.
"""
