"""The broker as both sides use it: the Celery application, its queues, message locks, and signed messages.

Imports no Django, because a GPU host has none; `messages/` says which of its modules belong to the site alone.
"""
