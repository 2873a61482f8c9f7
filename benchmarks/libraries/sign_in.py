"""Compares the sign-in throttle with django-axes: queries per attempt, and lock-out of the owner.

Its argument is `ours`, `axes-name` (axes counts failures per name) or `axes-address` (per address, its
default).
"""

import os
import sys
import tempfile
from typing import Any

PASSWORD = "a-long-enough-password"
FLOOD = 30


def set_up(which: str, folder: str) -> None:
    settings_module = "concur_site.settings" if which == "ours" else "benchmarks.libraries.axes_settings"
    os.environ["DJANGO_SETTINGS_MODULE"] = settings_module
    os.environ["AXES_BY"] = "username" if which == "axes-name" else "ip_address"
    os.environ["CONCUR_DATA_DIR"] = folder
    os.environ["CONCUR_LOG_LEVEL"] = "CRITICAL"
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)


def attempt(client: Any, password: str, address: str) -> tuple[str, int]:
    """Return the answer to a sign-in, and its number of queries."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        form = {"username": "owner", "password": password}
        response = client.post("/accounts/login/", form, REMOTE_ADDR=address)
    if response.status_code == 302:
        return "signed in", len(queries)
    braked = response.status_code == 429 or b"Too many" in response.content
    return "braked" if braked else "wrong password", len(queries)


def say(what: str, client: Any, password: str, address: str) -> None:
    answer, queries = attempt(client, password, address)
    print(f"  {what:<44} {answer}, {queries} queries")


def main() -> None:
    print(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        set_up(sys.argv[1], folder)
        try_out()


def try_out() -> None:
    from django.contrib.auth import get_user_model
    from django.test import Client

    get_user_model().objects.create_user("owner", password=PASSWORD)
    home = Client()
    say("the owner for the first time", home, PASSWORD, "10.0.0.1")
    home.cookies.pop("sessionid")  # signed out; the browser's other cookies remain
    say("the owner again", home, PASSWORD, "10.0.0.1")
    home.cookies.pop("sessionid")
    say("a stranger with a wrong password", Client(), "guess", "10.9.9.9")
    answers = [attempt(Client(), "guess", f"10.9.{number}.9")[0] for number in range(FLOOD)]
    print(f"  of {FLOOD} guesses from as many addresses: {answers.count('wrong password')} were compared")
    say("one more guess", Client(), "guess", "10.9.99.9")
    say("the owner in the same browser", home, PASSWORD, "10.0.0.1")
    say("the owner in a new browser", Client(), PASSWORD, "10.0.0.2")


if __name__ == "__main__":
    main()
