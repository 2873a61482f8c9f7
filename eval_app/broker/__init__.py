"""The broker as site and hosts share it: the Celery application, its queues, message locks and signed messages.

`celery_app.make_app` configures Celery. Imports neither Django nor another room, because a GPU host has no more than
this, the engine, `host/`, and of datasets_app its `durable` and `log_context`.
"""
