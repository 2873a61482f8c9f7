"""The environment of each program of a run: only the variables that it reads, so that no process holds a secret
needlessly.

The administrator's password is for the first account only, which is created before anything is started. Redis reads
none of the site's variables. `manage.py worker` removes the site's other secrets when it becomes the worker.
"""

from collections.abc import Mapping

PASSWORD = "CONCUR_ADMIN_PASSWORD"  # noqa: S105  (the variable's name)
MAIL = "CONCUR_MAIL_URL"  # holds a password, and only the site sends mail
# glibc gives each thread an arena of its own and returns little of the memory that is freed in it.
FEW_ARENAS = {"MALLOC_ARENA_MAX": "2"}
# Variables that a system program needs to start and to format dates and messages.
SYSTEM = ("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "LD_LIBRARY_PATH")


def environment_for(program: str, given: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of one program, a part of the run's own."""
    if program == "redis":
        return {name: value for name, value in given.items() if name in SYSTEM or name.startswith("LC_")}
    hidden = {PASSWORD} if program.startswith("site") else {PASSWORD, MAIL}
    inherited = {name: value for name, value in given.items() if name not in hidden}
    return FEW_ARENAS | inherited if program.startswith("site-") else inherited
