"""The site: settings, URLs, Celery, health, home page."""
