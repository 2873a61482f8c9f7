"""Django's SQLite backend with a fair write lock; see base.py."""
