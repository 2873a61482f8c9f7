"""Tests that docs/settings.md lists the variables that the code reads."""

import re
from pathlib import Path

from django.core.management import call_command

from concur_site import env
from concur_site.variables import ABOUT, READ_LATER, page

ROOT = Path(__file__).resolve().parents[2]
LITERAL = re.compile(r"""["'](CONCUR_[A-Z0-9_]+|DATABASE_URL|REDIS_URL)["']""")
INTERNAL = {"CONCUR_HOST_KEY_FD", "CONCUR_SCOUT_CAPABILITY", "CONCUR_SCOUT_NAME"}  # internal to our processes


def named_in_code() -> set[str]:
    files = [
        path for app in ("concur_site", "datasets_app", "eval_app") for path in (ROOT / app).rglob("*.py")
    ]
    return {name for path in files for name in LITERAL.findall(path.read_text())}


def test_every_variable_that_the_code_names_is_described():
    assert named_in_code() - INTERNAL == set(ABOUT)


def test_every_variable_is_read_by_the_settings_or_said_to_be_read_later():
    assert set(ABOUT) - set(READ_LATER) <= set(env.READ)


def test_the_page_is_what_the_command_prints(capsys):
    call_command("variables")
    assert capsys.readouterr().out == page()


def test_the_page_in_the_repository_is_up_to_date():
    text = (ROOT / "docs" / "settings.md").read_text()
    assert text == page(), "run: .venv/bin/python manage.py variables > docs/settings.md"
