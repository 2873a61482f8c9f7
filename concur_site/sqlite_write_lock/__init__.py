"""Django's backend for SQLite with a fair write lock: base.py."""
