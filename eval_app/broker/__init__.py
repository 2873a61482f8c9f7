"""The broker as site and hosts share it: the Celery application, its queues, message locks and signed messages.

`celery_app.make_app` configures Celery. Imports no Django, because a GPU host has none; `messages/` says
which of its modules belong to the site alone.
"""
