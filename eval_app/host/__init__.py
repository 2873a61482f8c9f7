"""A host that verifies: it needs the broker's address, a key of its own, and the engine. No Django, no database.

`python -m eval_app.host` needs REDIS_URL and CONCUR_HOST_KEY. `main.WorkerProcess` runs the self-test,
announces itself, takes the jobs that the site signed from the queues of its devices (`assignment_runner`),
and sends signed reports to its own list in Redis (`outbox`, `site_channel`). Imports the engine, the
broker's shared modules, and of datasets_app only `durable` and `log_context`: never Django.
"""
