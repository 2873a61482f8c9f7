"""The site's data folder, also before the settings are read: they generate a secret key in it."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management import find_commands

from concur_site import env

BASE_DIR = Path(__file__).resolve().parent.parent
IS_CHECKOUT = (BASE_DIR / "manage.py").is_file()  # otherwise installed from a wheel
COMMAND, START = ("manage.py", "make run") if IS_CHECKOUT else ("concur-site", "concur-site up")
# As it is typed in a terminal, in the folder of the checkout.
TYPED_COMMAND = ".venv/bin/python manage.py" if IS_CHECKOUT else COMMAND
DATABASE = "concur.sqlite3"
APPS = ("concur_site", "datasets_app", "eval_app")
# Commands that make a site, wait for one or need none.
WITHOUT_SITE = {"up", "prepare", "restore", "broker", "serve", "sweep", "worker", "variables"}


def data_folder() -> Path:
    return env.folder("CONCUR_DATA_DIR", BASE_DIR / "var" if IS_CHECKOUT else Path("concur-data"))


def missing_site(arguments: list[str]) -> str:
    """Return why a command of the project cannot work: there is no site in the data folder. '' if it can."""
    if not arguments or arguments[0] not in needing_site() or {"-h", "--help"} & set(arguments):
        return ""
    try:
        folder = data_folder()
    except ImproperlyConfigured:
        return ""  # the settings say so
    if os.environ.get("DATABASE_URL", "").strip() or (folder / DATABASE).exists():
        return ""
    return f"There is no site in {folder}: run `{START}`, or set CONCUR_DATA_DIR to the folder of yours."


def needing_site() -> set[str]:
    folders = (BASE_DIR / app / "management" for app in APPS)
    return {name for folder in folders for name in find_commands(str(folder))} - WITHOUT_SITE
